// Runs a model in ONNX Runtime: node peer.js MODEL THREADS REPEAT OUTPUT_DIR INPUT.bin...
//
// Inputs are raw little-endian elements in the order of the model's inputs; outputs are written to
// OUTPUT_DIR/0.bin, 1.bin, .... Prints one line of JSON: milliseconds to create the session, of the
// first call and of each of REPEAT further calls, and peak resident bytes.
const fs = require('fs');
const {performance} = require('perf_hooks');
const ort = require('onnxruntime-node');

const ARRAYS = {float32: Float32Array, int64: BigInt64Array};

async function main([path, threads, repeat, folder, ...files]) {
  const start = performance.now();
  const session = await ort.InferenceSession.create(path, {
    intraOpNumThreads: Number(threads),
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
  });
  const created = performance.now();
  const feeds = {};
  session.inputMetadata.forEach((input, i) => {
    const bytes = fs.readFileSync(files[i]);
    const data = new ARRAYS[input.type](bytes.buffer.slice(bytes.byteOffset,
                                                           bytes.byteOffset + bytes.length));
    feeds[input.name] = new ort.Tensor(input.type, data, input.shape);
  });
  const ready = performance.now();
  const outputs = await session.run(feeds);
  const first = performance.now();
  const calls = [];
  for (let i = 0; i < Number(repeat); ++i) {
    const begin = performance.now();
    await session.run(feeds);
    calls.push(performance.now() - begin);
  }
  session.outputNames.forEach((name, i) => {
    const data = outputs[name].data;
    fs.writeFileSync(`${folder}/${i}.bin`, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  });
  const peak = process.resourceUsage().maxRSS * 1024;
  console.log(JSON.stringify({create: created - start, first: first - ready, calls, peak}));
}

main(process.argv.slice(2));

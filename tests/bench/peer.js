// SPDX-License-Identifier: Apache-2.0
// Runs a model in ONNX Runtime: node peer.js MODEL THREADS REPEAT OUTPUT_DIR INPUT.bin...
//
// Inputs are raw little-endian elements in the order of the model's inputs, of one call or of
// several that take turns; the outputs of these calls are written to OUTPUT_DIR/0.bin, 1.bin, ....
// Prints one line of JSON: milliseconds to create the session, of the first call and of each of
// REPEAT further calls, and peak resident bytes.
const fs = require('fs');
const {performance} = require('perf_hooks');
const ort = require('onnxruntime-node');

const ARRAYS = {float32: Float32Array, int64: BigInt64Array};

// The inputs of each call.
function readFeeds(session, files) {
  const feeds = [];
  session.inputMetadata.forEach((input, i) => {
    const bytes = fs.readFileSync(files[i]);
    const all = new ARRAYS[input.type](bytes.buffer.slice(bytes.byteOffset,
                                                          bytes.byteOffset + bytes.length));
    const size = input.shape.reduce((a, b) => a * b, 1);
    for (let call = 0; call * size < all.length; ++call) {
      const data = all.slice(call * size, (call + 1) * size);
      feeds[call] = {...feeds[call], [input.name]: new ort.Tensor(input.type, data, input.shape)};
    }
  });
  return feeds;
}

async function writeOutputs(session, feeds, folder) {
  session.outputNames.forEach((_, i) => fs.writeFileSync(`${folder}/${i}.bin`, ''));
  for (const feed of feeds) {
    const outputs = await session.run(feed);
    session.outputNames.forEach((name, i) => {
      const data = outputs[name].data;
      fs.appendFileSync(`${folder}/${i}.bin`,
                        Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    });
  }
}

async function main([path, threads, repeat, folder, ...files]) {
  const start = performance.now();
  const session = await ort.InferenceSession.create(path, {
    intraOpNumThreads: Number(threads),
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
  });
  const created = performance.now();
  const feeds = readFeeds(session, files);
  const ready = performance.now();
  await session.run(feeds[0]);
  const first = performance.now();
  const calls = [];
  for (let i = 0; i < Number(repeat); ++i) {
    const feed = feeds[i % feeds.length];
    const begin = performance.now();
    await session.run(feed);
    calls.push(performance.now() - begin);
  }
  await writeOutputs(session, feeds, folder);
  const peak = process.resourceUsage().maxRSS * 1024;
  console.log(JSON.stringify({create: created - start, first: first - ready, calls, peak}));
}

main(process.argv.slice(2));

// SPDX-License-Identifier: Apache-2.0
// Runs models in ONNX Runtime (npm: onnxruntime-node). Each line of standard input is a call,
// {model, inputs: [{name, dtype, shape, file}], folder}; its answer is a line of standard output,
// {outputs: [{name, dtype, shape, file}]} or {error}. Files hold raw little-endian elements; a
// tensor of strings is a list in JSON. A call {model, level, save} writes the optimised model,
// {model, load} loads it and no more.
const fs = require('fs');
const readline = require('readline');
const ort = require('onnxruntime-node');

const ARRAYS = {
  float32: Float32Array, float64: Float64Array, int8: Int8Array, uint8: Uint8Array,
  int16: Int16Array, uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array,
  int64: BigInt64Array, uint64: BigUint64Array, bool: Uint8Array, float16: Uint16Array,
};

function read({dtype, shape, file}) {
  const bytes = fs.readFileSync(file);
  if (dtype === 'string') return new ort.Tensor(dtype, JSON.parse(bytes), shape);
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  return new ort.Tensor(dtype, new ARRAYS[dtype](copy), shape);
}

function write(tensor, file) {
  const {data} = tensor;
  const bytes = tensor.type === 'string'
      ? JSON.stringify(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  fs.writeFileSync(file, bytes);
}

async function optimize({model, level, save}) {
  const options = {
    graphOptimizationLevel: level, optimizedModelFilePath: save, logSeverityLevel: 3,
  };
  await (await ort.InferenceSession.create(model, options)).release();
  return {};
}

async function load({model}) {
  const options = {graphOptimizationLevel: 'disabled', logSeverityLevel: 3};
  await (await ort.InferenceSession.create(model, options)).release();
  return {};
}

async function run({model, inputs, folder}) {
  const options = {intraOpNumThreads: 1, graphOptimizationLevel: 'disabled', logSeverityLevel: 3};
  const session = await ort.InferenceSession.create(model, options);
  const feeds = Object.fromEntries(inputs.map(input => [input.name, read(input)]));
  const results = await session.run(feeds);
  const outputs = session.outputNames.map((name, i) => {
    const file = `${folder}/${i}.bin`;
    write(results[name], file);
    return {name, dtype: results[name].type, shape: results[name].dims, file};
  });
  await session.release();
  return {outputs};
}

async function main() {
  for await (const line of readline.createInterface({input: process.stdin})) {
    const call = JSON.parse(line);
    const answer = await (call.save ? optimize : call.load ? load : run)(call)
        .catch(error => ({error: String(error)}));
    console.log(JSON.stringify(answer));
  }
}

main();

import { mkdir, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';

/**
 * A model as sherpa-onnx's online punctuation takes it (the metadata, inputs and outputs of its `cnn_bilstm` models), of our
 * own: a word is looked up in a table that says which case it gets and which mark follows it. Words that
 * are not in it stay as they are.
 */
export const punctuatingModelFiles = (): { 'model.onnx': Buffer; 'bpe.vocab': string } => ({
  'model.onnx': onnxModel(),
  'bpe.vocab': pieces.map((piece, index) => `${piece}\t${-index}`).join('\n'),
});

/** Such a model in a folder, as if it had been installed. */
export async function writePunctuatingModel(modelsDir: string, languages: string[]): Promise<void> {
  const id = 'punctuation-en';
  const folder = join(modelsDir, id);
  await mkdir(folder, { recursive: true });
  const files: Record<string, { size: number; sha256: string }> = {};
  for (const [name, content] of Object.entries(punctuatingModelFiles())) {
    const bytes = Buffer.from(content);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    files[name] = { size: bytes.length, sha256 };
    await writeFile(join(folder, name), bytes);
  }
  const manifest = {
    id,
    title: 'Punctuation of the tests',
    purpose: 'punctuation',
    languages,
    license: 'MIT',
    sherpa: { model: { cnnBilstm: 'model.onnx', bpeVocab: 'bpe.vocab', provider: 'cpu' } },
    files,
  };
  await writeFile(join(folder, 'model.json'), JSON.stringify(manifest));
}

const [none, comma, period, question] = [0, 1, 2, 3];
const [lower, upper, capital] = [0, 1, 2];
/** Word, its case, the mark behind it. */
const known: [string, number, number][] = [
  ['how', capital, none],
  ['i', upper, none],
  ['well', capital, comma],
  ['you', lower, question],
  ['thanks', lower, period],
];
const letters = Array.from('abcdefghijklmnopqrstuvwxyz');
const pieces = ['<unk>', '<s>', '</s>', '▁', ...known.map(([word]) => `▁${word}`), ...letters];

/** A table of logits: a row for each piece, 1 at what it gets. */
function table(of: (row: (typeof known)[number]) => number): Buffer {
  const rows = pieces.map((piece) => {
    const row = known.find(([word]) => piece === `▁${word}`);
    return [0, 1, 2, 3].map((column) => (column === (row ? of(row) : 0) ? 1 : 0));
  });
  return Buffer.from(Float32Array.from(rows.flat()).buffer);
}

/** https://github.com/onnx/onnx/blob/main/onnx/onnx.proto: the numbers of its fields. */
function onnxModel(): Buffer {
  const graph = [
    node('Equal', ['token_ids', 'one'], ['is_start']),
    node('Equal', ['token_ids', 'two'], ['is_end']),
    node('Or', ['is_start', 'is_end'], ['is_edge']),
    node('Not', ['is_edge'], ['is_inside']),
    node('Equal', ['valid_ids', 'one'], ['begins_word']),
    node('And', ['is_inside', 'begins_word'], ['is_word']),
    node('NonZero', ['is_word'], ['places']),
    node('Transpose', ['places'], ['rows']),
    node('GatherND', ['token_ids', 'rows'], ['words']),
    node('Gather', ['cases', 'words'], ['case_logits']),
    node('Gather', ['marks', 'words'], ['punct_logits']),
  ].map((one) => field(1, one));
  const width = pieces.length;
  const all = [
    ...graph,
    field(2, Buffer.from('punctuation')),
    field(5, tensor('one', int32, [], Buffer.from(Int32Array.of(1).buffer))),
    field(5, tensor('two', int32, [], Buffer.from(Int32Array.of(2).buffer))),
    field(
      5,
      tensor(
        'cases',
        float,
        [width, 4],
        table(([, which]) => which),
      ),
    ),
    field(
      5,
      tensor(
        'marks',
        float,
        [width, 4],
        table(([, , mark]) => mark),
      ),
    ),
    field(11, value('token_ids', int32, ['n', 200])),
    field(11, value('valid_ids', int32, ['n', 200])),
    field(11, value('label_lens', int32, ['n'])),
    field(12, value('case_logits', float, ['t', 4])),
    field(12, value('punct_logits', float, ['t', 4])),
  ];
  const metadata = { COMMA: 1, PERIOD: 2, QUESTION: 3, UPPER: 1, CAP: 2, MIX_CASE: 3 };
  return Buffer.concat([
    varint(1, 8),
    field(7, Buffer.concat(all)),
    field(8, varint(2, 13)),
    ...Object.entries(metadata).map(([key, number]) =>
      field(14, Buffer.concat([field(1, Buffer.from(key)), field(2, Buffer.from(String(number)))])),
    ),
  ]);
}

const float = 1;
const int32 = 6;

const node = (type: string, inputs: string[], outputs: string[]): Buffer =>
  Buffer.concat([
    ...inputs.map((name) => field(1, Buffer.from(name))),
    ...outputs.map((name) => field(2, Buffer.from(name))),
    field(4, Buffer.from(type)),
  ]);

const tensor = (name: string, type: number, dims: number[], bytes: Buffer): Buffer =>
  Buffer.concat([
    ...dims.map((size) => varint(1, size)),
    varint(2, type),
    field(8, Buffer.from(name)),
    field(9, bytes),
  ]);

function value(name: string, type: number, dims: (string | number)[]): Buffer {
  const shape = dims.map((dim) =>
    field(1, typeof dim === 'number' ? varint(1, dim) : field(2, Buffer.from(dim))),
  );
  const tensorType = Buffer.concat([varint(1, type), field(2, Buffer.concat(shape))]);
  return Buffer.concat([field(1, Buffer.from(name)), field(2, field(1, tensorType))]);
}

/** A protobuf field of bytes (wire type 2), and one of a number (wire type 0). */
const field = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([base128((number << 3) | 2), base128(bytes.length), bytes]);
const varint = (number: number, content: number): Buffer =>
  Buffer.concat([base128(number << 3), base128(content)]);

function base128(content: number): Buffer {
  const bytes: number[] = [];
  for (let rest = content; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
}

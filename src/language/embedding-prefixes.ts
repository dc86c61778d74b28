/** What a text is embedded for: a question looks for passages. */
export type EmbeddedAs = 'question' | 'passage';

type Prefixes = Readonly<Record<EmbeddedAs, string>>;

const instruct: Prefixes = {
  question:
    'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ',
  passage: '',
};
const represent: Prefixes = {
  question: 'Represent this sentence for searching relevant passages: ',
  passage: '',
};

/** What models were trained with before a text, by the last part of their name; the first that fits. From their model cards. */
const prefixesOfModels: readonly [RegExp, Prefixes][] = [
  [/nomic-embed/u, { question: 'search_query: ', passage: 'search_document: ' }],
  [/e5-mistral|e5.{0,40}-instruct|qwen3-embed/u, instruct],
  [/arctic-embed.{0,20}(?:v2|2\.0)|arctic-embed2/u, { question: 'query: ', passage: '' }],
  [/(?:^|[-_])e5(?:[-_:.]|$)/u, { question: 'query: ', passage: 'passage: ' }],
  [/mxbai-embed|arctic-embed|bge-(?:small|base|large)-en/u, represent],
  [
    /embedding-?gemma/u,
    { question: 'task: search result | query: ', passage: 'title: none | text: ' },
  ],
];

/** What is put before a text for a model. Nothing for models that are not known by their name. */
export function embeddingPrefix(model: string, as: EmbeddedAs): string {
  const name = model.split('/').at(-1)!.toLowerCase();
  return prefixesOfModels.find(([pattern]) => pattern.test(name))?.[1][as] ?? '';
}

/** How good an order of documents is. */
export interface RankingQuality {
  /** How much of what could be gained in the first ten places was, early places counting more. */
  readonly ndcg: number;
  /** Which part of the documents that answer the question are in the first ten places. */
  readonly recall: number;
}

const DEPTH = 10;

/** Measures an order of documents against the grades that people gave. */
export function measureRanking(ranked: readonly string[], judgements: ReadonlyMap<string, number>): RankingQuality {
  const gain = (grades: readonly number[]) =>
    grades.slice(0, DEPTH).reduce((sum, grade, index) => sum + grade / Math.log2(index + 2), 0);
  const best = gain([...judgements.values()].toSorted((a, b) => b - a));
  const answers = [...judgements.values()].filter((grade) => grade > 0).length;
  const found = ranked.slice(0, DEPTH).map((document) => judgements.get(document) ?? 0);
  return {
    ndcg: best === 0 ? 0 : gain(found) / best,
    recall: answers === 0 ? 0 : found.filter((grade) => grade > 0).length / answers,
  };
}

/** The mean over several questions. */
export function averageQuality(qualities: readonly RankingQuality[]): RankingQuality {
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  return { ndcg: mean(qualities.map(({ ndcg }) => ndcg)), recall: mean(qualities.map(({ recall }) => recall)) };
}

/**
 * Each question with its answer, by position.
 * @throws When they differ in number: nobody could say which answer is whose.
 */
export function pairs<A, B>(questions: readonly A[], answers: readonly B[]): (readonly [A, B])[] {
  if (questions.length !== answers.length)
    throw new Error(`${questions.length} asked for, ${answers.length} answered: a bug of ours`);
  const both: (readonly [A, B])[] = [];
  for (const [index, question] of questions.entries()) both.push([question, answers[index] as B]);
  return both;
}

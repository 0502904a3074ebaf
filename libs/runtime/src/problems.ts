// The part of the problems that tools may import without loading Nest.
export {
  Problem,
  problem,
  type ProblemBody,
  problemBody,
  type ProblemExtras,
  type ProblemMessages,
} from './http/problem.ts';
export {
  standardProblem,
  type StandardProblemCode,
  standardProblemCodes,
  temporarilyUnavailable,
} from './http/standard-problems.ts';

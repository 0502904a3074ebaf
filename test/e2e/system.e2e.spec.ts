// The end-to-end tests, in this order, on one running system: what one suite leaves behind the next one has to bear, and
// the judges look at all of it.
import { describeBadMessages } from './describe-bad-messages.ts';
import { describeBadRequests } from './describe-bad-requests.ts';
import { describeChaos } from './describe-chaos.ts';
import { describeContention } from './describe-contention.ts';
import { describeExamples } from './describe-examples.ts';
import { describeJudges } from './describe-judges.ts';
import { describePeers } from './describe-peers.ts';
import { describeReadiness } from './describe-readiness.ts';
import { describeRepetition } from './describe-repetition.ts';
import { describeStories } from './describe-stories.ts';
import { openStage, type Stage } from './stage.ts';

const startWithinMs = 180_000;
let opened: Stage | undefined;
const stage = (): Stage => {
  if (opened === undefined) throw new TypeError('the system did not start');
  return opened;
};

beforeAll(async () => {
  opened = await openStage();
}, startWithinMs);
afterAll(() => opened?.leave(), startWithinMs);

describeStories(stage);
describeBadRequests(stage);
describeBadMessages(stage);
describeContention(stage);
describeExamples(stage);
describePeers(stage);
describeChaos(stage);
describeReadiness(stage);
describeJudges(stage);
describeRepetition(stage);

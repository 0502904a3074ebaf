import { Controller, Get } from '@nestjs/common';
import { causedByTime, score } from '@compasso/contracts';
import { RequireScope } from '@compasso/runtime';

/** The whole flow as data: where a choreography's reader looks first. */
@Controller('v1/score')
@RequireScope('transfers:read')
export class ScoreController {
  @Get()
  read(): object {
    return { steps: score, causedByTime };
  }
}

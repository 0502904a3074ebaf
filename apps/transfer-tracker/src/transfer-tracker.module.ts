import { type DynamicModule, Module } from '@nestjs/common';
import { CasesController } from './http/cases.controller.ts';
import { ScoreController } from './http/score.controller.ts';
import { TransfersController } from './http/transfers.controller.ts';
import { CaseQueries } from './postgres/case-queries.ts';
import { TransferQueries } from './postgres/transfer-queries.ts';

export interface TrackerModuleParts {
  readonly transfers: TransferQueries;
  readonly cases: CaseQueries;
}

@Module({ controllers: [TransfersController, CasesController, ScoreController] })
export class TransferTrackerModule {
  static with({ transfers, cases }: TrackerModuleParts): DynamicModule {
    return {
      module: TransferTrackerModule,
      providers: [
        { provide: TransferQueries, useValue: transfers },
        { provide: CaseQueries, useValue: cases },
      ],
    };
  }
}

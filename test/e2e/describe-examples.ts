// Another team's producers, installed and run as their README says, against the running system.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endings, isSameEnd } from '../../tools/demo/axes.ts';
import { openAccount, payeeCpf, untilEnds } from '../../tools/demo/world.ts';
import { repository } from '../../tools/system/run-directory.ts';
import type { Stage } from './stage.ts';

const run = promisify(execFile);
const withinMs = 180_000;
const amountCents = 12_345;
const example = join(repository, 'examples', 'request-transfer');

export function describeExamples(stage: () => Stage): void {
  describe('a producer of another team', () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'another-team-'));
      cpSync(example, folder, { recursive: true });
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    /** The id that it prints becomes a transfer that is paid. */
    const isPaidFor = async (command: string, words: readonly string[]): Promise<void> => {
      const { world, clients, system } = stage();
      const accountId = await openAccount(world, { fundsCents: 1_000_000 });
      const environment = {
        ...process.env,
        NODE_OPTIONS: '',
        TEAM: 'acme',
        KAFKA_BROKERS: system.brokers,
        PAYEE_JWKS_URL: `${system.addresses['payout-gateway'][0]}/.well-known/payee-jwks.json`,
      };
      const [program, ...rest] = words;
      const { stdout } = await run(command, [program!, accountId, String(amountCents), ...rest], {
        cwd: folder,
        env: environment,
      });
      const transferId = stdout.trim();
      await untilEnds(world, transferId, endings.completed);
      const transfer = await clients.tracker.transfer(transferId);
      expect(transfer !== undefined && isSameEnd(transfer, endings.completed)).toBe(true);
      expect((await clients.simulator.ordersOf(transferId)).map((order) => order.amountCents)).toEqual([amountCents]);
    };

    it(
      'in TypeScript needs the packed contracts and a Kafka client',
      async () => {
        const packages = ['kernel', 'contracts'].map((name) => join(repository, 'libs', name));
        const npm = (...words: string[]) => run('npm', words, { cwd: folder });
        const { stdout } = await npm('pack', '--ignore-scripts', '--pack-destination', '.', ...packages);
        await npm('init', '-y');
        await npm('pkg', 'set', 'type=module');
        const tarballs = stdout.trim().split('\n').map((file) => `./${file}`);
        await npm('install', '--no-audit', '--no-fund', ...tarballs, 'kafkajs@2.2.4');
        await isPaidFor(process.execPath, ['request-transfer.ts', 'cpf', payeeCpf]);
      },
      withinMs,
    );

    it(
      'in Python needs nothing of ours',
      async () => {
        await run('python3', ['-m', 'venv', 'venv'], { cwd: folder });
        const python = join(folder, 'venv', 'bin', 'python');
        await run(python, ['-m', 'pip', 'install', '--quiet', '-r', 'requirements.txt'], { cwd: folder });
        await isPaidFor(python, ['request_transfer.py', payeeCpf]);
      },
      withinMs,
    );
  });
}

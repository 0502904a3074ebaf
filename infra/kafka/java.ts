import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CodedError } from '@compasso/kernel';

export type Java = { readonly command: string; readonly version: string };

const majorMin = 17;

/** The Java that `JAVA_HOME` names, or the one on the path. */
export function findJava(environment: NodeJS.ProcessEnv = process.env): Java {
  const home = environment['JAVA_HOME'];
  const command = home === undefined || home === '' ? 'java' : join(home, 'bin', 'java');
  const { stderr, error } = spawnSync(command, ['-version'], {
    encoding: 'utf8',
    env: environment,
  });
  const version = error === undefined ? javaVersionIn(stderr) : undefined;
  if (version === undefined || majorOf(version) < majorMin) {
    const found = version === undefined ? 'none was found' : `${version} was found`;
    throw new CodedError(
      'java_missing',
      `Kafka needs Java ${majorMin} or later and ${found}: install it, or set KAFKA_BROKERS`,
    );
  }
  return { command, version };
}

/** `openjdk version "17.0.15" 2025-04-15` → `17.0.15` */
export function javaVersionIn(output: string): string | undefined {
  return /version "([^"]+)"/.exec(output)?.[1];
}

/** Up to Java 8 the major version was the second number: `1.8.0_392`. */
export function majorOf(version: string): number {
  const [first = 0, second = 0] = version.split(/[.\-+_]/).map(Number);
  return first === 1 ? second : first;
}

// What the code of this repository does not say, and what it says instead. Each ban is a row: ESLint refuses the
// selector in the files named, with the replacement as its message. `rules.spec.ts` holds a fixture against each.
import { matchesGlob } from 'node:path';
import { testCode } from './boundaries.ts';

export interface Ban {
  readonly id: string;
  readonly in: readonly string[];
  readonly except?: readonly string[];
  /** ESLint selectors. */
  readonly selectors: readonly string[];
  readonly use: string;
}

const everywhere = ['**'];
const product = ['{apps,libs}/*/src/**'];
const specs = ['**/*.{spec,features}.ts', 'test/**/*.ts'];

const importsOfExport = (pattern: string): string => `ImportSpecifier[imported.name=/${pattern}/]`;

export const bans: readonly Ban[] = [
  {
    id: 'default-export',
    in: everywhere,
    // Tools that load a file by its path look for a default export.
    except: ['**/*.config.mjs', 'libs/testing/src/jest-infrastructure*.mjs'],
    selectors: ['ExportDefaultDeclaration', 'ExportSpecifier[exported.name="default"]'],
    use: 'a named export',
  },
  { id: 'export-star', in: everywhere, selectors: ['ExportAllDeclaration'], use: 'a list of names' },
  { id: 'namespace-import', in: everywhere, selectors: ['ImportNamespaceSpecifier'], use: 'named imports' },
  {
    id: 'bare-error',
    in: everywhere,
    except: [testCode],
    selectors: ['NewExpression[callee.name=/^(Error|TypeError|RangeError)$/]', 'CallExpression[callee.name="Error"]'],
    use: 'CodedError or invariant of @compasso/kernel',
  },
  {
    id: 'clock-or-chance',
    in: ['apps/*/src/domain/**', 'libs/kernel/src/**'],
    except: [testCode],
    selectors: [
      'NewExpression[callee.name="Date"][arguments.length=0]',
      'CallExpression[callee.name="Date"]',
      'MemberExpression[object.name="Date"][property.name="now"]',
      'MemberExpression[object.name="Math"][property.name="random"]',
      'MemberExpression[object.name=/^(performance|crypto|process|globalThis)$/]',
      'CallExpression[callee.name=/^(setTimeout|setInterval|setImmediate|queueMicrotask|fetch)$/]',
    ],
    use: 'what the caller hands in (`given`)',
  },
  {
    id: 'environment',
    in: product,
    except: ['libs/runtime/src/config/**', 'libs/testing/src/**', testCode],
    selectors: ['MemberExpression[object.name="process"][property.name="env"]'],
    use: 'the configuration that readConfig checked and froze',
  },
  {
    id: 'console',
    in: product,
    except: ['libs/testing/src/**', testCode],
    selectors: ['MemberExpression[object.name="console"]'],
    use: 'the logger that is handed in',
  },
  {
    id: 'not-erasable',
    in: everywhere,
    selectors: [
      'TSEnumDeclaration',
      'TSParameterProperty',
      'TSModuleDeclaration[declare!=true]',
      'TSImportEqualsDeclaration',
      'TSExportAssignment',
    ],
    use: 'syntax that Node can strip: a union, a field, a module',
  },
  {
    id: 'decorator',
    in: everywhere,
    except: ['apps/*/src/**', 'libs/runtime/src/**', 'libs/messaging/src/nest/**', testCode],
    selectors: ['Decorator'],
    use: 'a function: this file also runs without a build',
  },
  {
    id: 'disabled-test',
    in: specs,
    selectors: [
      'MemberExpression[object.name=/^(it|test|describe)$/][property.name=/^(skip|only|todo|failing)$/]',
      'CallExpression[callee.name=/^(xit|xtest|xdescribe|fit|fdescribe)$/]',
    ],
    use: 'a test that runs, or none',
  },
  {
    id: 'mock',
    in: specs,
    selectors: [
      'MemberExpression[object.name="jest"][property.name=/^(mock|doMock|unstable_mockModule|createMockFromModule|spyOn|fn)$/]',
    ],
    use: 'the twin that passed the behaviour suite of the port',
  },
  {
    id: 'sleep',
    in: specs,
    selectors: ['ImportDeclaration[source.value="node:timers/promises"]', 'CallExpression[callee.name="setTimeout"]'],
    use: '`eventually` of @compasso/testing, or the event itself',
  },
  {
    id: 'interface-prefix',
    in: everywhere,
    selectors: ['TSInterfaceDeclaration[id.name=/^I[A-Z][a-z]/]'],
    use: 'the name of the thing',
  },
  {
    id: 'empty-word',
    in: ['apps/*/src/domain/**'],
    selectors: [
      ':matches(ClassDeclaration, FunctionDeclaration, TSInterfaceDeclaration, TSTypeAliasDeclaration, VariableDeclarator)[id.name=/(Manager|Helper|Util|Base|Impl|Dto)s?$/]',
    ],
    use: 'the word that a payments engineer would use',
  },
  {
    id: 'http-exception',
    in: product,
    except: ['**/src/http/**', testCode],
    selectors: [importsOfExport('Exception$'), importsOfExport('^problem$')],
    use: 'a refusal as an event, or a CodedError; http/ turns it into a problem',
  },
  {
    id: 'consumer',
    in: ['{apps,libs,tools,bench}/**'],
    except: ['libs/messaging/src/kafka/**', testCode],
    selectors: ['CallExpression[callee.property.name="consumer"]'],
    use: 'the transport of @compasso/messaging: one place creates consumers, and supervises them',
  },
  {
    id: 'nest-kafka',
    in: everywhere,
    selectors: [importsOfExport('^(ServerKafka|ClientKafka|ClientProxy|ClientsModule)$')],
    use: 'the transport strategy of @compasso/messaging: the built-in one acknowledges what it could not handle',
  },
  {
    id: 'synchronize',
    in: everywhere,
    selectors: ['Property[key.name="synchronize"][value.value=true]'],
    use: 'a migration',
  },
];

export const bansFor = (path: string): readonly Ban[] =>
  bans.filter(
    (ban) =>
      ban.in.some((glob) => matchesGlob(path, glob)) && !ban.except?.some((glob) => matchesGlob(path, glob)),
  );

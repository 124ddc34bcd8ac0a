import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** What is read of a report that Playwright writes as JSON. */
interface Suite {
  readonly suites?: readonly Suite[];
  readonly specs: readonly {
    readonly title: string;
    readonly file: string;
    readonly line: number;
    readonly tests: readonly {
      readonly projectName: string;
      readonly status: string;
      readonly results: readonly { readonly errors: readonly { readonly message?: string }[] }[];
    }[];
  }[];
}

interface Report {
  readonly suites: readonly Suite[];
  readonly errors: readonly { readonly message?: string }[];
}

// node scripts/read-story-report.ts <report>: prints "passed failed", names on stderr the stories that failed, and those that needed a second try.
const { suites, errors } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Report;
let passed = 0;
let failed = 0;

function name(mark: string, what: string, message: string | undefined): void {
  process.stderr.write(`${mark} ${what}\n      ${stripVTControlCharacters(message ?? '').slice(0, 700)}\n`);
}

function count({ suites: inner = [], specs }: Suite): void {
  for (const { title, file, line, tests } of specs) {
    for (const { projectName, status, results } of tests) {
      if (status === 'skipped') continue;
      if (status === 'unexpected') failed += 1;
      else passed += 1;
      if (status === 'expected') continue;
      const message = results.find((result) => result.errors.length > 0)?.errors[0]?.message;
      name(status === 'flaky' ? 'FLAKY' : 'FAIL ', `${projectName} > ${file}:${String(line)} > ${title}`, message);
    }
  }
  inner.forEach(count);
}

suites.forEach(count);
for (const { message } of errors) {
  failed += 1;
  name('FAIL ', 'the stories could not be told', message);
}
process.stdout.write(`${String(passed)} ${String(failed)}\n`);

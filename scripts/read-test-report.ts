import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/** What is read of a report that Vitest writes as JSON. */
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

// node scripts/read-test-report.ts <report> <list>: prints "passed failed", names the failed tests on stderr, writes their files into the list.
const [reportPath = '', listPath = ''] = process.argv.slice(2);
const { numPassedTests, testResults } = JSON.parse(readFileSync(reportPath, 'utf8')) as Report;
const files: string[] = [];
let failed = 0;
for (const { name, status, message, assertionResults } of testResults) {
  const tests = assertionResults.filter((test) => test.status === 'failed');
  // What could not be loaded, or prepared, has no failed test of its own.
  if (status === 'failed' && tests.length === 0) {
    tests.push({ status, fullName: 'could not be run', failureMessages: [message] });
  }
  if (tests.length === 0) continue;
  const file = relative('.', name);
  files.push(file);
  failed += tests.length;
  for (const { fullName, failureMessages } of tests) {
    process.stderr.write(`FAIL  ${file} > ${fullName}\n      ${failureMessages[0]?.slice(0, 500) ?? ''}\n`);
  }
}
writeFileSync(listPath, files.map((file) => `${file}\n`).join(''));
process.stdout.write(`${String(numPassedTests)} ${String(failed)}\n`);

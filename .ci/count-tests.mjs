// Prints "<passed> <failed>" for a vitest JSON report.
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const unloadable = report.testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
);
console.log(report.numPassedTests, report.numFailedTests + unloadable.length);

import { readdirSync, readFileSync } from 'node:fs';

// The unit tests of the core alone: what a mutant of it must not survive. They are loaded as one file, and none may be missing.
const folder = new URL('../../functions/test/core/', import.meta.url);
const all = readFileSync(new URL('all.ts', folder), 'utf8');
const missing = readdirSync(folder).filter(
  (file) => file.endsWith('.test.ts') && !file.endsWith('.property.test.ts') && !all.includes(`'./${file}'`),
);
if (missing.length > 0) throw new Error(`functions/test/core/all.ts does not import ${missing.join(', ')}`);

export default {
  rootDir: '../..',
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  testMatch: ['<rootDir>/functions/test/core/all.ts'],
};

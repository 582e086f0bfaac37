/** One project a kind of test, so that each runs alone: `make unit`, `make plan`, `make simulation`, `make integration`, `make test-aws`, `make test-cdktf`. */
const typescript = {
  cacheDirectory: '<rootDir>/.scratch/jest',
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  // Copies of package.json in build outputs would be seen as duplicates of the project's own.
  modulePathIgnorePatterns: [
    '<rootDir>/.scratch/',
    '<rootDir>/.venv/',
    '<rootDir>/functions/dist/',
    '<rootDir>/examples/cdktf/',
  ],
};

const project = (displayName, ...testMatch) => ({
  ...typescript,
  displayName,
  testMatch: testMatch.map((glob) => `<rootDir>/${glob}`),
});

export default {
  projects: [
    project('unit', 'functions/test/**/*.test.ts', 'test/scripts/**/*.test.ts', 'test/package/**/*.test.ts'),
    project('plan', 'test/plan/**/*.test.ts'),
    project('simulation', 'test/simulation/**/*.test.ts'),
    // The canary says whether the emulator can be believed at all; nothing else of its kind runs before it (L-01).
    project('canary', 'test/integration/canary.test.ts'),
    project('integration', 'test/integration/**/!(canary|examples).test.ts'),
    // On its own, since it runs beside the others of its kind.
    project('examples', 'test/integration/examples.test.ts'),
    project('aws', 'test/aws/**/*.test.ts'),
    project('cdktf', 'test/cdktf/**/*.test.ts'),
  ],
};

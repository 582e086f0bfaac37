/**
 * Copies what Terraform reads of the module into `.module`: the HCL and the zip. `cdktf` copies the folder that a local
 * module lies in as a whole, which for a checkout would be node_modules and everything else.
 */
import { cpSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const module = join(import.meta.dirname, '../..');
const staged = join(import.meta.dirname, '.module');

rmSync(staged, { recursive: true, force: true });
for (const file of globSync(['*.tf', 'modules/*/*.tf', 'functions/dist/pipeline.zip'], { cwd: module })) {
  cpSync(join(module, file), join(staged, file));
}

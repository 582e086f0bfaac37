/** The little of HCL that our own files use: top-level blocks, one argument a line or a value over several lines. */

export interface Block {
  readonly name: string;
  readonly description: string;
  /** Variables only: as written, on one line. */
  readonly type: string;
  /** Undefined: a variable that must be set. */
  readonly defaultValue: string | undefined;
}

/** Blocks of one kind, in the order of the file. `terraform fmt` has indented them, so a block ends at the margin. */
export function readBlocks(text: string, kind: 'variable' | 'output'): readonly Block[] {
  const blocks = text.matchAll(new RegExp(`^${kind} "(\\w+)" \\{\\n([\\s\\S]*?)^\\}`, 'gm'));
  return [...blocks].map(([, name = '', body = '']) => ({
    name,
    description: unquote(argument(body, 'description') ?? ''),
    type: oneLine(argument(body, 'type') ?? ''),
    defaultValue: oneLineOrUndefined(argument(body, 'default')),
  }));
}

/** The parts of a file between its `# --- Title ---` lines. */
export function readSections(text: string): readonly { readonly title: string; readonly text: string }[] {
  return text
    .split(/^# --- /m)
    .slice(1)
    .map((part) => ({ title: (part.split('\n')[0] ?? '').replace(/ -+$/, ''), text: part }));
}

function argument(body: string, name: string): string | undefined {
  const [, value] =
    new RegExp(`^  ${name} += ([\\s\\S]*?)(?=^  [a-z_]+ +(?:=|\\{)|^  [a-z]+ \\{|(?![\\s\\S]))`, 'm').exec(body) ?? [];
  return value?.trim();
}

const unquote = (text: string) => text.replace(/^"|"$/g, '').replaceAll('\\"', '"').replaceAll('$${', '${');
const oneLine = (text: string) =>
  text
    .replace(/#.*$/gm, '')
    .replace(/ +/g, ' ')
    .replace(/,?\s*\n\s*/g, ', ')
    .replace(/([({]),/g, '$1')
    .replace(/, ([)}])/g, ' $1');
const oneLineOrUndefined = (text: string | undefined) => (text === undefined ? undefined : oneLine(text));

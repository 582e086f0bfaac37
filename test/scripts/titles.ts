import { parseSync } from '@swc/core';

/** A node of the syntax tree, as far as it is read here. */
interface Node {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tree's shape depends on the type, which is asked for first
  readonly [key: string]: any;
}

const MAKERS: readonly string[] = ['it', 'test', 'describe'];

/**
 * The titles of the tests in a TypeScript source, with what their tables put into them: of a row as many cells as the title
 * has places. Not what stands beside them, in comments and bodies, nor tests that are skipped.
 */
export function testTitles(source: string): readonly string[] {
  const program = parseSync(source, { syntax: 'typescript', target: 'es2022' }) as unknown as Node;
  const constants = new Map<string, Node>();
  visit(program, (node) => {
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init !== null)
      constants.set(node.id.value, node.init);
    return true;
  });
  const helpers = titleParameters(constants);
  const titles: string[] = [];
  visit(program, (node) => {
    if (node.type !== 'CallExpression') return true;
    const maker = makerOf(node.callee);
    if (maker === 'skipped') return false;
    const [title] = argumentsOf(node);
    if (maker !== undefined && title !== undefined) {
      titles.push(...strings(title));
      if (maker.rows !== undefined) titles.push(...cells(maker.rows, strings(title).join(''), constants));
    }
    const places = node.callee.type === 'Identifier' ? helpers.get(node.callee.value) : undefined;
    for (const place of places ?? []) titles.push(...strings(argumentsOf(node)[place]));
    return true;
  });
  return titles;
}

/** The names of the runs of a Terraform test, where `-` is not allowed. */
export function runNames(source: string): readonly string[] {
  return [...source.matchAll(/^run "([^"]*)"/gm)].map(([, name]) => name ?? '');
}

/** `it`, `it.only`, `it.each(rows)`; `skipped` for what no run executes; nothing for any other call. */
function makerOf(callee: Node): { readonly rows?: Node } | 'skipped' | undefined {
  const path: string[] = [];
  let rows: Node | undefined;
  let at = callee;
  for (;;) {
    if (at.type === 'CallExpression' && rows === undefined) {
      [rows] = argumentsOf(at);
      at = at.callee;
    } else if (at.type === 'MemberExpression' && at.property.type === 'Identifier') {
      path.unshift(at.property.value);
      at = at.object;
    } else break;
  }
  if (at.type !== 'Identifier' || !MAKERS.includes(at.value)) return undefined;
  if (path.includes('skip') || path.includes('todo')) return 'skipped';
  if (!path.includes('each')) return path.length > 0 && !path.includes('only') ? undefined : {};
  // `it.each(rows)` itself has no title yet.
  return rows === undefined ? undefined : { rows };
}

/** Functions of the file that make a test of what they are given: which of their parameters go into its title. */
function titleParameters(constants: ReadonlyMap<string, Node>): ReadonlyMap<string, readonly number[]> {
  const helpers = new Map<string, readonly number[]>();
  for (const [name, init] of constants) {
    if (init.type !== 'ArrowFunctionExpression') continue;
    const parameters = (init.params as Node[]).map(({ value }) => value as string | undefined);
    const places = new Set<number>();
    visit(init.body, (node) => {
      const maker = node.type === 'CallExpression' ? makerOf(node.callee) : undefined;
      if (maker === undefined || maker === 'skipped') return true;
      visit(argumentsOf(node)[0], ({ type, value }) => {
        if (type === 'Identifier' && parameters.includes(value)) places.add(parameters.indexOf(value));
        return true;
      });
      return true;
    });
    if (places.size > 0) helpers.set(name, [...places]);
  }
  return helpers;
}

/** What a table puts into a title: by position (`%s`) or by name (`$name`). */
function cells(table: Node, title: string, constants: ReadonlyMap<string, Node>): readonly string[] {
  const rows = literal(table, constants);
  if (rows?.type !== 'ArrayExpression') return [];
  const positions = title.match(/%[a-zA-Z]/g)?.length ?? 0;
  const names = [...title.matchAll(/\$(\w+)/g)].map(([, name]) => name);
  return elements(rows).flatMap((element) => {
    const row = literal(element, constants);
    if (row?.type === 'ArrayExpression') return elements(row).slice(0, positions).flatMap(strings);
    if (row?.type !== 'ObjectExpression') return positions > 0 ? strings(row) : [];
    return (row.properties as Node[]).flatMap(({ type, key, value }) =>
      type === 'KeyValueProperty' && names.includes(key.value) ? strings(value) : [],
    );
  });
}

/** Through `as const`, parentheses and names of the file to what is written. */
function literal(node: Node | undefined, constants: ReadonlyMap<string, Node>): Node | undefined {
  let at = node;
  for (let steps = 0; at !== undefined && steps < 10; steps += 1) {
    if (/^Ts(Const|As|Satisfies|NonNull)|^Parenthesis/.test(at.type)) at = at.expression;
    else if (at.type === 'Identifier') at = constants.get(at.value);
    else return at;
  }
  return at;
}

function elements(array: Node): Node[] {
  return (array.elements as ({ spread: unknown; expression: Node } | null)[]).flatMap((entry) =>
    entry === null || entry.spread ? [] : [entry.expression],
  );
}

function argumentsOf(call: Node): Node[] {
  return (call.arguments as { expression: Node }[]).map(({ expression }) => expression);
}

/** Every piece of text inside of an expression. */
function strings(node: Node | undefined): string[] {
  const found: string[] = [];
  visit(node, ({ type, value, cooked }) => {
    if (type === 'StringLiteral') found.push(value);
    if (type === 'TemplateElement') found.push(cooked);
    return true;
  });
  return found;
}

/** Each node from the outside in; `into` says whether what is inside of it counts. */
function visit(value: unknown, into: (node: Node) => boolean): void {
  if (Array.isArray(value)) for (const entry of value) visit(entry, into);
  else if (typeof value === 'object' && value !== null) {
    if (typeof (value as Node).type === 'string' && !into(value as Node)) return;
    for (const entry of Object.values(value)) visit(entry, into);
  }
}

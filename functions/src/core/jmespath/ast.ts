import type { JsonValue } from '../json-value.ts';

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** A parsed expression. `chain` is what JMESPath calls a subexpression, an index expression or a pipe. */
export type Ast =
  | { readonly type: 'current' }
  | { readonly type: 'field'; readonly name: string; readonly quoted: boolean }
  | { readonly type: 'literal'; readonly value: JsonValue }
  | { readonly type: 'index'; readonly at: number }
  | { readonly type: 'slice'; readonly start: number | null; readonly stop: number | null; readonly step: number }
  | { readonly type: 'chain'; readonly left: Ast; readonly right: Ast }
  | { readonly type: 'projection'; readonly left: Ast; readonly right: Ast }
  | { readonly type: 'values'; readonly left: Ast; readonly right: Ast }
  | { readonly type: 'filter'; readonly left: Ast; readonly right: Ast; readonly condition: Ast }
  | { readonly type: 'flatten'; readonly left: Ast }
  | { readonly type: 'compare'; readonly operator: Comparison; readonly left: Ast; readonly right: Ast }
  | { readonly type: 'or'; readonly left: Ast; readonly right: Ast }
  | { readonly type: 'and'; readonly left: Ast; readonly right: Ast }
  | { readonly type: 'not'; readonly operand: Ast }
  | { readonly type: 'list'; readonly items: readonly Ast[] }
  | { readonly type: 'object'; readonly members: readonly { readonly name: string; readonly value: Ast }[] }
  | { readonly type: 'call'; readonly name: string; readonly args: readonly Ast[] }
  | { readonly type: 'reference'; readonly operand: Ast };

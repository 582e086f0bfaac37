import { ConfigurationError } from './core/configuration-error.ts';

/** Reads members of a JSON object by type; every refusal names the member. */
export class Fields {
  readonly #name: string;
  readonly #members: Readonly<Record<string, unknown>>;

  constructor(name: string, value: unknown) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new ConfigurationError(`${name} is not a JSON object.`);
    }
    this.#name = name;
    this.#members = value as Readonly<Record<string, unknown>>;
  }

  /** A null counts as left out. */
  has(member: string): boolean {
    return this.#read(member) !== undefined;
  }

  text(member: string, otherwise?: string): string {
    const value = this.#read(member) ?? otherwise;
    if (typeof value !== 'string' || value === '') this.#refuse(member, 'a text that is not empty');
    return value;
  }

  /** `{ property: text }`, or `{}` when it is left out, for spreading. */
  optionalText<P extends string>(property: P, member: string): { readonly [K in P]?: string } {
    const value = this.#read(member);
    if (value === undefined) return {};
    if (typeof value !== 'string') this.#refuse(member, 'a text');
    return { [property]: value } as { readonly [K in P]?: string };
  }

  texts(member: string): Readonly<Record<string, string>> {
    const value = this.#read(member) ?? {};
    const isMap = typeof value === 'object' && !Array.isArray(value);
    if (!isMap || Object.values(value as object).some((text) => typeof text !== 'string')) {
      this.#refuse(member, 'a map of texts');
    }
    return value as Readonly<Record<string, string>>;
  }

  integer(member: string, least: number, most: number, otherwise?: number): number {
    const value = this.#read(member) ?? otherwise;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
      this.#refuse(member, `a whole number from ${least} to ${most}`);
    }
    return value;
  }

  flag(member: string, otherwise: boolean): boolean {
    const value = this.#read(member) ?? otherwise;
    if (typeof value !== 'boolean') this.#refuse(member, 'true or false');
    return value;
  }

  choice<T extends string>(member: string, choices: readonly T[], otherwise?: T): T {
    const value = this.#read(member) ?? otherwise;
    const choice = choices.find((one) => one === value);
    if (choice === undefined) this.#refuse(member, `one of ${choices.join(', ')}`);
    return choice;
  }

  object(member: string): Fields {
    return new Fields(`${this.#name}: ${member}`, this.#read(member));
  }

  #read(member: string): unknown {
    return Object.hasOwn(this.#members, member) ? (this.#members[member] ?? undefined) : undefined;
  }

  #refuse(member: string, expected: string): never {
    const value = this.#read(member);
    const found = value === undefined ? 'it is missing' : `it is ${JSON.stringify(value)}`;
    throw new ConfigurationError(`${this.#name}: ${member} must be ${expected}; ${found}.`);
  }
}

import type { AttributeMap } from '../../functions/src/core/attribute-value.ts';
import { textOf } from './dynamodb.ts';
import type { Scenario } from './scenario.ts';
import { SABOTAGE, type Sent } from './traffic.ts';

/** Natures that no release of the code can ever bring to an end as they are. */
const BAD: ReadonlySet<string> = new Set([
  'one_bad_of_several',
  'not_json',
  'no_id',
  'bad_schema',
  'refused_by_dynamodb',
]);

/** What is true of the messages of a scenario, whatever a consumer says about them. */
export class Truth {
  readonly scenario: Scenario;
  readonly #row: (eventId: string) => AttributeMap | undefined;
  readonly #originOf: (messageId: string) => number | undefined;
  readonly #byBody = new Map<string, Sent>();

  constructor(
    scenario: Scenario,
    row: (eventId: string) => AttributeMap | undefined,
    originOf: (messageId: string) => number | undefined,
  ) {
    this.scenario = scenario;
    this.#row = row;
    this.#originOf = originOf;
    for (const message of scenario.messages) this.#byBody.set(message.body, message);
  }

  specOf(origin: number): Sent | undefined {
    return this.scenario.messages[origin];
  }

  /** Which message of the producer this body is. */
  specOfBody(body: string): Sent | undefined {
    return this.#byBody.get(body);
  }

  /** Whether any version of the code that is ever deployed may find this message permanently bad. */
  mayBeQuarantined(spec: Sent): boolean {
    if (BAD.has(spec.nature)) return true;
    const { versions, kind } = this.scenario;
    if (spec.events.some(({ legacy }) => legacy) && versions.some(({ version }) => version.schema === 'strict'))
      return true;
    const other = this.scenario.messages.some(
      (message) =>
        message !== spec &&
        message.events.some((event) =>
          spec.events.some((mine) => mine.eventId === event.eventId && mine.content !== event.content),
        ),
    );
    if (other) return true;
    return kind === 'reject' && spec.events.some((mine) => this.#sharesKey(mine.eventId, mine.key));
  }

  /** Under another fingerprint a second message of an event cannot be told from another event with its id. */
  looksLikeAnother(spec: Sent, messageId: string): boolean {
    const changed = this.scenario.versions.some(({ version }) => version.fingerprint === 'order');
    return (
      changed &&
      spec.events.some(({ eventId }) => {
        const row = this.#row(eventId);
        return row !== undefined && textOf(row.message_id) !== messageId;
      })
    );
  }

  /** Whether another try under the newest version can end otherwise. */
  isHopeless(spec: Sent): boolean {
    return BAD.has(spec.nature);
  }

  /** Whether the event may rightly never be committed. */
  mayStayUncommitted(spec: Sent, event: Sent['events'][number]): boolean {
    if (!event.good) return true;
    const { versions, kind } = this.scenario;
    const last = versions.at(-1)?.version;
    if (event.legacy && (last?.filter === 'strict' || last?.schema === 'strict' || this.everFiltered())) return true;
    if (kind === 'reject' && this.#sharesKey(event.eventId, event.key)) return true;
    return SABOTAGE.has(spec.nature);
  }

  #sharesKey(eventId: string, key: string): boolean {
    return this.scenario.messages.some((message) =>
      message.events.some((event) => event.eventId !== eventId && event.key === key),
    );
  }

  /** Whether a release that excludes legacy events is ever deployed. */
  everFiltered(): boolean {
    return this.scenario.versions.some(({ version }) => version.filter === 'strict');
  }

  /** True when the message's event is committed under its id with another content that every fingerprint tells apart. */
  isOtherPayload(spec: Sent): boolean {
    return spec.events.some(({ eventId, content }) => {
      const stored = textOf(this.#row(eventId)?.message_id);
      const origin = this.#originOf(stored);
      const by =
        origin === undefined ? undefined : this.specOf(origin)?.events.find((event) => event.eventId === eventId);
      return by !== undefined && by.content !== content;
    });
  }

  /** Keys of ids that were used for two payloads: which of them was committed is not known here. */
  sameIdTwice(key: string): boolean {
    const ids = new Set(
      this.scenario.messages
        .filter(({ nature }) => nature === 'same_id_other_payload')
        .flatMap(({ events }) => events.map(({ eventId }) => eventId)),
    );
    return this.scenario.messages.some(({ events }) =>
      events.some((event) => event.key === key && ids.has(event.eventId)),
    );
  }
}

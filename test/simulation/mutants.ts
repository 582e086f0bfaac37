/**
 * Planted bugs: each is one edit of the core's source, made when it is loaded, and each must be found by the simulation.
 * A patch that no longer applies fails loudly, so that a refactoring of the core cannot silently disarm this list.
 */
export interface Mutant {
  readonly name: string;
  readonly edits: readonly Edit[];
}

export interface Edit {
  /** Below functions/src. */
  readonly file: string;
  /** Must stand there exactly once. */
  readonly from: string;
  readonly to: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'mark before publish',
    edits: [
      {
        file: 'core/deliver.ts',
        from: 'const published = await publishAll(ctx, events.map(notificationsOf), options.held);',
        to: "const assumed = events.map((): Published => ({ kind: 'published', snsMessageIds: [] }));",
      },
      {
        file: 'core/deliver.ts',
        from: 'of pairs(events, published)) {',
        to: 'of pairs(events, assumed)) {',
      },
      {
        file: 'core/deliver.ts',
        from: 'for (const { event, result, change } of deliveries) {',
        to: 'const published = new Map(pairs(events, await publishAll(ctx, events.map(notificationsOf), options.held)));\n  for (const { event, change } of deliveries) {\n    const result = published.get(event) as Published;',
      },
    ],
  },
  {
    name: 'a conflict is permanent',
    edits: [
      {
        file: 'core/cancellation.ts',
        from: "  ValidationError: 'request_refused',",
        to: "  ValidationError: 'request_refused',\n  TransactionConflict: 'request_refused',",
      },
    ],
  },
  {
    name: 'quarantine after a commit with an unknown outcome',
    edits: [
      {
        file: 'core/quarantine.ts',
        from: "if (ctx.unknownCommits.has(suspect.eventId)) block('commit_pending');",
        to: '',
      },
      {
        file: 'core/commit.ts',
        from: "if (ctx.unknownCommits.has(work.event.eventId)) fail(work, 'commit_pending'); else settle(",
        to: 'settle(',
      },
    ],
  },
  {
    name: 'skip on pending: an existing row counts as done',
    edits: [
      {
        file: 'core/judge.ts',
        from: "if (row.status === 'sent') return { kind: 'duplicate', row };",
        to: "return { kind: 'duplicate', row };",
      },
    ],
  },
  {
    name: 'TTL on pending: the commit writes the TTL attribute',
    edits: [
      {
        file: 'core/row.ts',
        from: '...(pending ? {} : { sent_at',
        to: '...(pending ? { expires_at: { N: String(expiresAtSeconds(row.nowMs, row.retentionDays)) } } : { sent_at',
      },
    ],
  },
  {
    name: 'a failed publish counts as published',
    edits: [
      {
        file: 'core/publish.ts',
        from: 'else reason = outcome.unknown',
        to: "else if (outcome.unknown) snsMessageIds.push('');\n    else reason = outcome.unknown",
      },
    ],
  },
  {
    name: 'most severe reason decides: a failed business condition before the existing row',
    edits: [
      {
        file: 'core/cancellation.ts',
        from: "if (index === 0) return { kind: 'exists', row };\n      failed.add(policies[index - 1]);",
        to: "const another = reasons.some((reason, at) => at > 0 && reason.code === 'ConditionalCheckFailed');\n      if (index === 0 && !another) return { kind: 'exists', row };\n      if (index > 0) failed.add(policies[index - 1]);",
      },
    ],
  },
  {
    name: 'quarantine a pending event: the rows are not looked up',
    edits: [
      {
        file: 'core/quarantine.ts',
        from: 'const suspects = records.flatMap(suspectsOf);',
        to: 'const suspects: Suspect[] = [];',
      },
    ],
  },
  {
    name: 'acknowledge before the dead-letter queue has it',
    edits: [
      {
        file: 'core/quarantine.ts',
        from: "failed[position] === false ? { kind: 'quarantined', reason }",
        to: "failed[position] !== undefined ? { kind: 'quarantined', reason }",
      },
    ],
  },
  {
    name: 'lane follows its head into the dead-letter queue',
    edits: [
      {
        file: 'core/lanes.ts',
        from: "if (head.state.at !== 'failed' || isLastReceive(ctx, head)) return true;",
        to: "if (head.state.at !== 'failed') return true;",
      },
    ],
  },
  {
    name: 'a lane goes on after a failure',
    edits: [
      {
        file: 'core/lanes.ts',
        from: "if (head.state.at !== 'failed' || isLastReceive(ctx, head)) return true;",
        to: 'return true;',
      },
    ],
  },
  {
    name: 'a held lease acknowledges',
    edits: [
      {
        file: 'core/look-up.ts',
        from: "return settle(work, { kind: 'transient', reason: 'lease_held', retryAtMs: judgement.untilMs });",
        to: "return settle(work, { kind: 'sent', how: 'duplicate', payloadHash: work.event.payloadHash });",
      },
    ],
  },
  {
    name: 'takeover without relay_shard',
    edits: [
      {
        file: 'core/takeover.ts',
        from: 'relayShard: relayShardOf(row.eventId),',
        to: "relayShard: '',",
      },
    ],
  },
  {
    name: 'no sweep',
    edits: [
      {
        file: 'core/relay.ts',
        from: 'settings.sweepHours === null ? undefined : await sweepSegment(ctx, invocation.dueAtMs ?? clock.now())',
        to: 'undefined',
      },
    ],
  },
  {
    name: 'an unknown commit counts as committed',
    edits: [
      {
        file: 'core/commit.ts',
        from: 'return confirm(ctx, [work]);',
        to: 'return committed(work);',
      },
    ],
  },
  {
    name: 'a group condemns: a refused group is permanent for all of it',
    edits: [
      {
        file: 'core/commit.ts',
        from: "      return splitGroup(ctx, group);\n    case 'throttled':",
        to: "      for (const work of group) settle(work, { kind: 'permanent', reason: 'request_refused' });\n      return;\n    case 'throttled':",
      },
    ],
  },
  {
    name: 'a twin is acknowledged without its first copy',
    edits: [
      {
        file: 'core/stages.ts',
        from: "if (verdict.kind !== 'sent' || verdict.payloadHash !== work.event.payloadHash) return false;",
        to: '',
      },
    ],
  },
  {
    name: 'a twin with another payload is a duplicate',
    edits: [
      {
        file: 'core/stages.ts',
        from: ' || verdict.payloadHash !== work.event.payloadHash) return false;',
        to: ') return false;',
      },
    ],
  },
  {
    name: 'a message is done when one of its events is',
    edits: [
      {
        file: 'core/work.ts',
        from: 'let permanent: RecordVerdict | undefined;',
        to: "let permanent: RecordVerdict | undefined;\n  if (record.events.length > 1 && record.events.some((work) => verdictOf(work).kind === 'sent')) return { kind: 'done' };",
      },
    ],
  },
  {
    name: 'a record that nobody decided is acknowledged',
    edits: [
      {
        file: 'core/answer.ts',
        from: "record.state.at === 'failed' || record.state.at === 'open'",
        to: "record.state.at === 'failed'",
      },
    ],
  },
  {
    name: 'no deadline: the invocation waits for whatever it began',
    edits: [
      {
        file: 'core/pipeline.ts',
        from: 'await Promise.race([running, stopped]);',
        to: 'await running;',
      },
    ],
  },
  {
    name: 'payload is not compared: two events with one id are one',
    edits: [
      {
        file: 'core/judge.ts',
        from: "if (hashes === 'different') return { kind: 'mismatch', row };",
        to: '',
      },
    ],
  },
  {
    name: 'a changed fingerprint makes an event its own rival',
    edits: [
      {
        file: 'core/judge.ts',
        from: "if (row.messageId === '' || row.messageId !== claimant.messageId) {",
        to: 'if (row.messageId !== undefined) {',
      },
    ],
  },
  {
    name: 'a stricter filter acknowledges a committed event',
    edits: [
      {
        file: 'core/decode.ts',
        from: 'const excluded = !ours.value;',
        to: 'if (!ours.value) return undefined;\n    const excluded = false;',
      },
    ],
  },
  {
    name: 'the commit of a redelivery stays out of the index of rows in trouble',
    edits: [{ file: 'core/plan.ts', from: 'inTrouble: work.receiveCount > 1 ||', to: 'inTrouble:' }],
  },
  {
    name: 'permanent before transient: a message with a bad event goes while another of its events is unfinished',
    edits: [
      {
        file: 'core/work.ts',
        from: "return transient ?? permanent ?? { kind: 'done' };",
        to: "return permanent ?? transient ?? { kind: 'done' };",
      },
    ],
  },
  {
    name: 'nobody is suspected of killing the process',
    edits: [{ file: 'core/batch.ts', from: 'const KILLER_RECEIVES = 3;', to: 'const KILLER_RECEIVES = 1_000;' }],
  },
  {
    name: 'finished messages are not deleted before a suspect is tried',
    edits: [{ file: 'core/finished.ts', from: 'if (finished.length === 0 ||', to: 'if (finished.length >= 0 ||' }],
  },
  {
    name: 'what is finished ahead of a suspect in its own lane is not deleted before the suspect is tried',
    edits: [
      { file: 'core/lanes.ts', from: 'if (heads.some(mayKill)) await deleteFinished(ctx, batch);', to: '' },
      {
        file: 'core/lanes.ts',
        from: 'for (const lane of order) {',
        to: 'for (const lane of order) {\n    await deleteFinished(ctx, batch);',
      },
    ],
  },
  {
    name: 'suspects are always tried in the same order',
    edits: [
      { file: 'core/batch.ts', from: 'const direction = receives % 2 === 0 ? -1 : 1;', to: 'const direction = 1;' },
    ],
  },
  {
    name: 'a lane judges its permanent head before the others are tried',
    edits: [
      {
        file: 'core/lanes.ts',
        from: 'permanent * 2 > batch.length - untried && breakerOpen(batch, untried)',
        to: 'permanent * 2 > batch.length - untried && breakerOpen(batch, untried) && false',
      },
    ],
  },
  {
    name: 'the breaker never opens',
    edits: [
      {
        file: 'core/conclude.ts',
        from: 'return (permanent + undecided) * 2 > batch.length;',
        to: 'return permanent + undecided < 0;',
      },
    ],
  },
  {
    name: 'an excluded event is acknowledged whatever its row says',
    edits: [
      {
        file: 'core/look-up.ts',
        from: 'for (const [work, read] of pairs(works, reads)) {',
        to: 'for (const [work, read] of pairs(works, reads)) {\n    if (work.event.excluded === true) {\n      settle(work, NOT_OURS);\n      continue;\n    }',
      },
    ],
  },
];

export function mutantNamed(name: string): Mutant {
  const mutant = MUTANTS.find((other) => other.name === name);
  if (mutant === undefined) throw new Error(`no planted bug is called "${name}"`);
  return mutant;
}

/** Applies an edit wherever the formatter broke its lines; throws when its place is not there, or not alone. */
export function plantIn(source: string, { file, from, to }: Edit): string {
  const escaped = [...from.replace(/\s+/g, '')].map((character) => character.replace(/[\\^$.*+?()[\]{}|]/, '\\$&'));
  const place = new RegExp(
    escaped.map((character) => (character === '\\)' ? ',?\\s*\\)' : character)).join('\\s*'),
    'g',
  );
  const found = [...source.matchAll(place)].length;
  if (found !== 1) throw new Error(`a planted bug finds its place ${found} times in ${file}: ${from}`);
  return source.replace(place, () => to);
}

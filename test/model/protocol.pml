/*
 * The protocol of one event, for spin: every interleaving of its deliveries with crashes at every step, lost answers,
 * commits that execute after their caller gave up, leases that end early or late, visibility that runs out while the
 * delivery still runs, the dead-letter queue, a redrive, and the relay.
 *
 * Read it beside docs/correctness.md. scripts/verify-model.sh runs it, and runs each mutant below; a mutant that the
 * properties do not catch fails the build, since the proof would then be about nothing.
 *
 * What is left out, and why that is sound:
 * - Time. A lease may end at any moment after it was written and a reader with a skewed clock may take a live one for
 *   over (SKEW), so every real timing is one of the interleavings.
 * - The expiry of sent rows. The module refuses a retention under 2 x queue + DLQ retention, so no copy of the message
 *   outlives its row. MUTANT_TTL_ON_PENDING shows what the rule protects from.
 * - Other events. They share nothing with this one: grouped calls are all or nothing per event for this protocol, which
 *   the simulation in test/simulation checks on the real code.
 */

#ifndef DELIVERIES
#define DELIVERIES 3
#endif
#ifndef MESSAGES
#define MESSAGES 1          /* 2: the producer sent the event twice, as two messages */
#endif
#ifndef MAX_RECEIVES
#define MAX_RECEIVES 2
#endif
#ifndef REDRIVES
#define REDRIVES 1
#endif
#ifndef RELAY_FAULTS
#define RELAY_FAULTS 1      /* crashes and failed calls of the relay; finite, or nothing would ever be sure */
#endif

/* The row. */
#define NONE 0
#define PENDING 1
#define SENT 2

/* A message. */
#define VISIBLE 0
#define HIDDEN 1
#define GONE 2              /* deleted by us */
#define MOVED 3             /* dead-lettered by SQS */

#define RELAY DELIVERIES    /* the relay's owner id; deliveries are 0 .. DELIVERIES-1 */

byte row = NONE;
byte owner;
bool live;                  /* the lease may still be running */
bool zero;                  /* lease_expires_at_ms is 0: released */
bool shard;                 /* the row is in the relay's sparse index */

byte msg[MESSAGES];
byte receives[MESSAGES];
bool in_dlq[MESSAGES];      /* a copy of it is in the dead-letter queue */
byte redrives;

bool late[DELIVERIES];      /* a commit of this delivery is on its way; its caller has given up */
bool late_shard[DELIVERIES];

/* Ghosts: only the properties read them. */
byte commits;
bool published;
bool trouble;               /* a takeover, a release or a commit at receive count > 1 happened */
byte running;

#define NOT_DELETED(m) (msg[m] == VISIBLE || msg[m] == HIDDEN)

#ifdef MUTANT_TAKEOVER_WITHOUT_SHARD
#define SHARD_ON_TAKEOVER shard
#else
#define SHARD_ON_TAKEOVER 1
#endif
#ifdef MUTANT_RELEASE_WITHOUT_SHARD
#define SHARD_ON_RELEASE shard
#else
#define SHARD_ON_RELEASE 1
#endif
#ifdef MUTANT_REDELIVERED_COMMIT_WITHOUT_SHARD
#define SHARD_ON_COMMIT(m) 0
#else
#define SHARD_ON_COMMIT(m) (receives[m] > 1 || MAX_RECEIVES == 1)
#endif

#ifdef MUTANT_COMMIT_WITHOUT_CONDITION
#define MAY_COMMIT 1
#else
#define MAY_COMMIT (row == NONE)
#endif

/* TransactWriteItems: the row, on condition that there is none, and the business writes with it. */
inline execute_commit(who, with_shard) {
  row = PENDING; owner = who; live = 1; zero = 0; shard = with_shard;
  commits++;
  trouble = trouble || (receives_of > 1);
  assert(commits <= 1)                                                /* G1 */
}

inline execute_takeover(who) {
  owner = who; live = 1; zero = 0; shard = SHARD_ON_TAKEOVER; trouble = 1
}

inline execute_mark() {
#ifndef MUTANT_MARK_BEFORE_PUBLISH
  assert(published);                                                  /* sent means published */
#endif
  row = SENT; live = 0; zero = 0; shard = 0; owner = 0
}

/* Acknowledged as done: the row says sent, now (G4), and so does the topic (G2, the safety half). */
inline acknowledge(m) {
  assert(row == SENT);
  assert(published);
  if :: NOT_DELETED(m) -> msg[m] = GONE :: else fi
}

proctype delivery(byte me) {
  byte m;
  byte seen_owner;
  bool seen_zero;
  bool unknown;             /* a commit of this delivery has an unknown outcome */
  bool was_pending;         /* ghost: the event was committed and unsent before this delivery began */
  byte receives_of;

  atomic {
    if
    :: msg[0] == VISIBLE && receives[0] < MAX_RECEIVES -> m = 0
#if MESSAGES > 1
    :: msg[1] == VISIBLE && receives[1] < MAX_RECEIVES -> m = 1
#endif
    fi;
    msg[m] = HIDDEN; receives[m]++; running++;
    receives_of = receives[m];
    was_pending = (row == PENDING)
  }

  /* decode and look up: probable duplicates are read first, the others commit blindly; both are always possible here. */
begin:
  if
  :: goto look_up
  :: goto commit
  :: goto refuse            /* a deploy with a stricter schema, a body that is not JSON, a limit, ... */
  :: goto stopped
  fi;

look_up:
  if
  :: atomic { row == NONE -> goto absent }
  :: atomic { row == SENT -> goto finished }
  :: atomic { row == PENDING && owner == me -> goto publish }
  :: atomic { row == PENDING && owner != me && live ->
#ifdef MUTANT_ACK_ON_LEASE_HELD
       goto finished
#else
       goto give_back
#endif
     }
#ifdef SKEW
  :: atomic { row == PENDING && owner != me ->
#else
  :: atomic { row == PENDING && owner != me && !live ->
#endif
       seen_owner = owner; seen_zero = zero; goto take_over }
  :: goto give_back         /* the read failed */
  :: goto stopped
  fi;

absent:
  if
  :: !unknown -> goto commit
  :: goto refuse
  :: goto give_back
  :: goto stopped
  fi;

commit:
  if
  :: atomic { MAY_COMMIT -> execute_commit(me, SHARD_ON_COMMIT(m)); goto publish }
  :: atomic { MAY_COMMIT -> execute_commit(me, SHARD_ON_COMMIT(m)); unknown = 1; goto commit_unknown }
  :: atomic { late[me] = 1; late_shard[me] = SHARD_ON_COMMIT(m); unknown = 1; goto commit_unknown }
  :: atomic { unknown = 1; goto commit_unknown }                      /* never executed, but who knows */
#ifdef MUTANT_SKIP_ON_PENDING
  :: atomic { row == PENDING -> goto finished }
#endif
  :: atomic { row != NONE -> goto look_up }                           /* cancelled; the reason brings the row */
  :: goto give_back                                                   /* throttled, conflict */
  :: goto stopped
  fi;

commit_unknown:
  if
  :: goto look_up                                                     /* the SDK's own retry is cancelled by the row */
  :: goto refuse                                                      /* the split call is refused as invalid */
#ifdef MUTANT_ACK_ON_UNKNOWN_COMMIT
  :: goto finished
#endif
  :: goto give_back
  :: goto stopped
  fi;

take_over:
#ifdef MUTANT_EXPIRED_LEASE_IS_PROOF
  if
  :: goto mark
  :: goto stopped
  fi;
#endif
  if
  :: atomic { row == PENDING && owner == seen_owner && zero == seen_zero -> execute_takeover(me); goto publish }
  :: atomic { row == PENDING && owner == seen_owner && zero == seen_zero -> execute_takeover(me); goto give_back }
  :: atomic { !(row == PENDING && owner == seen_owner && zero == seen_zero) -> goto give_back }
  :: goto give_back
  :: goto stopped
  fi;

publish:
#ifdef MUTANT_MARK_BEFORE_PUBLISH
  if
  :: atomic { row == PENDING -> execute_mark() }
  :: goto give_up
  :: goto stopped
  fi;
  if
  :: atomic { published = 1; goto finished }
  :: goto stopped
  fi;
#endif
  if
  :: atomic { published = 1; goto mark }
  :: atomic { published = 1; goto give_up }                           /* the answer was lost */
  :: goto give_up
  :: goto stopped
  fi;

mark:
  if
  :: atomic { row == PENDING -> execute_mark(); goto finished }
  :: atomic { row == PENDING -> execute_mark(); goto give_up }        /* the answer was lost */
  :: atomic { row == SENT -> goto finished }
  :: atomic { row == NONE -> goto finished }                          /* rule 6: failing would commit a second time */
  :: goto give_up
  :: goto stopped
  fi;

give_up:                                                              /* release the lease, best effort */
  if
  :: atomic { row == PENDING && owner == me -> live = 0; zero = 1; shard = SHARD_ON_RELEASE; trouble = 1; goto give_back }
  :: goto give_back
  :: goto stopped
  fi;

give_back:                                                            /* reported as failed */
  atomic { if :: msg[m] == HIDDEN -> msg[m] = VISIBLE :: else fi; goto over }

finished:
  if
  :: atomic { acknowledge(m); goto over }
  :: goto stopped
  fi;

  /* Permanent: rule 10. What an earlier attempt committed is no longer judged. */
refuse:
#ifdef MUTANT_QUARANTINE_WITHOUT_LOOK_UP
  goto quarantine;
#endif
  if
#ifdef MUTANT_QUARANTINE_AFTER_UNKNOWN_COMMIT
  :: atomic { row == NONE -> goto quarantine }
#else
  :: atomic { row == NONE && !unknown -> goto quarantine }
  :: atomic { row == NONE && unknown -> goto give_back }
#endif
  :: atomic { row == SENT -> goto quarantine }
  :: atomic { row == SENT -> goto finished }
  :: atomic { row == PENDING && owner == me -> goto publish }
  :: atomic { row == PENDING && owner != me && live -> goto give_back }
#ifdef SKEW
  :: atomic { row == PENDING && owner != me ->
#else
  :: atomic { row == PENDING && owner != me && !live ->
#endif
       seen_owner = owner; seen_zero = zero; goto take_over }
  :: goto give_back
  :: goto stopped
  fi;

quarantine:
  assert(!(was_pending && row == PENDING));                           /* no pending event of an earlier attempt */
  assert(!(late[me] && row == NONE));                                   /* provably uncommitted by this attempt */
#ifdef MUTANT_ACK_BEFORE_QUARANTINE_SEND
  if
  :: atomic { NOT_DELETED(m) -> msg[m] = GONE; assert(row == SENT || in_dlq[m]) }
  :: else
  fi;
#endif
  if
  :: atomic { in_dlq[m] = 1; goto quarantined }
  :: atomic { in_dlq[m] = 1; goto give_back }                         /* the answer was lost */
  :: goto give_back
  :: goto stopped
  fi;

quarantined:
  if
  :: atomic { NOT_DELETED(m) -> assert(row == SENT || in_dlq[m]); msg[m] = GONE; goto over }   /* G3 */
  :: atomic { !NOT_DELETED(m) -> goto over }
  :: goto stopped
  fi;

stopped: skip;              /* crash, time-out: nothing more happens, the message stays hidden until SQS shows it again */
over:
  atomic { running--; m = 0; seen_owner = 0; seen_zero = 0; unknown = 0; was_pending = 0; receives_of = 0 }
}

/* The scheduled function: it takes rows whose lease is over from the index, and any row by the sweep. */
proctype relay() {
  byte faults = RELAY_FAULTS;
  byte seen_owner;
  bool seen_zero;

look:
#ifdef MUTANT_NO_SWEEP
  atomic { row == PENDING && !live && shard -> seen_owner = owner; seen_zero = zero };
#else
  atomic { row == PENDING && !live -> seen_owner = owner; seen_zero = zero };
#endif
  if
  :: atomic { row == PENDING && owner == seen_owner && zero == seen_zero -> execute_takeover(RELAY) }
  :: atomic { !(row == PENDING && owner == seen_owner && zero == seen_zero) -> seen_owner = 0; seen_zero = 0; goto look }
  :: atomic { faults > 0 -> faults--; goto look }
  fi;
  seen_owner = 0; seen_zero = 0;
  if
  :: published = 1
  :: atomic { faults > 0 -> faults--; goto look }
  :: atomic { faults > 0 -> faults--; published = 1; goto look }
  fi;
  if
  :: atomic { row == PENDING -> execute_mark() }
  :: atomic { row != PENDING }
  :: atomic { faults > 0 -> faults--; goto look }
  fi;
  goto look
}

/* A lease ends. */
proctype time() {
end:
  do
  :: atomic { live -> live = 0 }
  od
}

/* Visibility runs out, even while a delivery is running; the last allowed receive is followed by the dead-letter queue. */
proctype sqs(byte m) {
end:
  do
  :: atomic { msg[m] == HIDDEN -> msg[m] = VISIBLE }
  :: atomic { msg[m] == VISIBLE && receives[m] >= MAX_RECEIVES -> msg[m] = MOVED; in_dlq[m] = 1 }
  :: atomic { in_dlq[m] && !NOT_DELETED(m) && redrives < REDRIVES ->
       redrives++; in_dlq[m] = 0; msg[m] = VISIBLE; receives[m] = 0 }
  od
}

/* A call whose caller has given up: it executes some time, or never. */
proctype network(byte who) {
  byte receives_of;
end:
  do
  :: atomic { late[who] && MAY_COMMIT ->
       late[who] = 0; receives_of = late_shard[who] * 2; execute_commit(who, late_shard[who]);
       late_shard[who] = 0; receives_of = 0 }
  :: atomic { late[who] -> late[who] = 0; late_shard[who] = 0 }
  od
}

#ifdef MUTANT_TTL_ON_PENDING
/* An outage longer than the retention: nothing runs, and DynamoDB deletes the row. */
proctype ttl() {
end:
  do
  :: atomic { row == PENDING && running == 0 -> row = NONE; live = 0; zero = 0; shard = 0; owner = 0 }
  od
}
#endif

init {
  atomic {
    byte i = 0;
    do :: i < DELIVERIES -> run delivery(i); run network(i); i++ :: else -> break od;
    i = 0;
    do :: i < MESSAGES -> run sqs(i); i++ :: else -> break od;
    i = 0;
    run time();
#ifdef MUTANT_TTL_ON_PENDING
    run ttl();
#endif
    run relay()
  }
}

/* G2: what is committed is published, and comes to rest. */
ltl committed_is_published { [] ((commits > 0) -> <> published) }
ltl pending_ends { [] ((row == PENDING) -> <> (row != PENDING)) }
/* Rule 9: what a takeover, a release or a late commit left behind is found by the index alone (run without the sweep). */
ltl trouble_is_indexed { [] (trouble -> <> published) }

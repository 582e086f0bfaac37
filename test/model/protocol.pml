/*
 * The protocol of one event, for spin: every interleaving of its deliveries with crashes at every step, lost answers,
 * commits that execute after their caller gave up, leases that end early or late, visibility that runs out while the
 * delivery still runs, the dead-letter queue, a redrive, and the relay.
 *
 * Read it beside docs/correctness.md. scripts/verify-model.sh runs it, and runs each mutant below; a mutant that the
 * properties do not catch fails the build, since the proof would then be about nothing.
 *
 * What is left out, and why that is sound:
 * - Time. Whoever reads another's lease may find it running or over, as it likes: every real timing, and every skew of
 *   clocks, is one of the interleavings. So the proof never rests on a lease, as rule 5 demands.
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
bool zero;                  /* lease_expires_at_ms is 0: released */
bool shard;                 /* the row is in the relay's sparse index */

byte msg[MESSAGES];
byte receives[MESSAGES];
bool in_dlq[MESSAGES];      /* a copy of it is in the dead-letter queue */
byte redrives;
byte life[MESSAGES];        /* a redriven copy has a new messageId and receipt handle: old deletes do not reach it */

/* A commit whose caller has given up and that may still execute. One place is enough: of several only one could ever
   execute, and which one that is stays open, since a later one may replace it or not. */
#define NOBODY (DELIVERIES + 1)
byte late = NOBODY;
bool late_shard;

/* Ghosts: only the properties read them. */
byte commits;
bool published;
bool trouble;               /* a takeover, a release or a redelivery's commit happened; for the claim of rule 9 */
byte running;               /* for MUTANT_TTL_ON_PENDING */
byte started;

#define IN_QUEUE(m) (msg[m] == VISIBLE || msg[m] == HIDDEN)
#define MINE(m) (IN_QUEUE(m) && life[m] == my_life)

#ifdef NO_SWEEP
#define TROUBLE(x) trouble = trouble || (x)
#else
#define TROUBLE(x) skip
#endif
#ifdef MUTANT_TTL_ON_PENDING
#define RUNNING(x) running = running + x
#else
#define RUNNING(x) skip
#endif

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
#define SHARD_ON_COMMIT 0
#else
#define SHARD_ON_COMMIT (redelivered || MAX_RECEIVES == 1)
#endif

#ifdef MUTANT_COMMIT_WITHOUT_CONDITION
#define MAY_COMMIT 1
#else
#define MAY_COMMIT (row == NONE)
#endif

/* TransactWriteItems: the row, on condition that there is none, and the business writes with it. */
inline execute_commit(who, with_shard) {
  row = PENDING; owner = who; zero = 0; shard = with_shard;
  commits++;
  TROUBLE(redelivered || MAX_RECEIVES == 1);
  assert(commits <= 1)                                                /* G1 */
}

inline execute_takeover(who) {
  owner = who; zero = 0; shard = SHARD_ON_TAKEOVER; TROUBLE(1)
}

inline execute_mark() {
#ifndef MUTANT_MARK_BEFORE_PUBLISH
  assert(published);                                                  /* sent means published */
#endif
  row = SENT; zero = 0; shard = 0; owner = 0
}

/* Acknowledged as done: the row says sent, now (G4), and so does the topic (G2, the safety half). */
inline acknowledge(m) {
  assert(row == SENT);
  assert(published);
  if :: MINE(m) -> msg[m] = GONE :: else fi
}

proctype delivery(byte me) {
  byte m;
  byte seen_owner;
  bool seen_zero;
  bool unknown;             /* a commit of this delivery has an unknown outcome */
  bool was_pending;         /* ghost: the event was committed and unsent before this delivery began */
  bool redelivered;         /* its receive count is above 1 */
  byte my_life;

  atomic {
    started == me;          /* deliveries are alike: one order of their starts stands for all */
    if
    :: msg[0] == VISIBLE && receives[0] < MAX_RECEIVES -> m = 0
#if MESSAGES > 1
    :: msg[1] == VISIBLE && receives[1] < MAX_RECEIVES -> m = 1
#endif
    fi;
    msg[m] = HIDDEN; receives[m]++; RUNNING(1); started++;
    my_life = life[m];
    redelivered = receives[m] > 1;
    was_pending = (row == PENDING);
    /* Probable duplicates are read first, the others commit blindly: both are always possible here. So is a refusal:
       a body that is not JSON, a stricter schema since a deploy, a limit. */
    if :: goto look_up :: goto commit :: goto refuse fi
  }

look_up:
  if
  :: atomic { row == NONE && !unknown -> goto commit }
  :: atomic { row == NONE -> goto refuse }
  :: atomic { row == SENT -> goto finished }
  :: atomic { row == PENDING && owner == me -> goto publish }
#ifdef MUTANT_ACK_ON_LEASE_HELD
  :: atomic { row == PENDING && owner != me -> goto finished }
#endif
  :: atomic { row == PENDING && owner != me -> seen_owner = owner; seen_zero = zero; goto take_over }
  :: goto over              /* the lease is held, the read failed, or the process stopped */
  fi;

commit:
  if
  :: atomic { MAY_COMMIT -> execute_commit(me, SHARD_ON_COMMIT); goto publish }
  :: atomic { MAY_COMMIT -> execute_commit(me, SHARD_ON_COMMIT); unknown = 1; goto commit_unknown }
  :: atomic { MAY_COMMIT -> late = me; late_shard = SHARD_ON_COMMIT; unknown = 1; goto commit_unknown }
  :: atomic { unknown = 1; goto commit_unknown }                      /* never executed, but who knows */
#ifdef MUTANT_SKIP_ON_PENDING
  :: atomic { row == PENDING -> goto finished }
#endif
  :: atomic { row != NONE -> goto look_up }                           /* cancelled; the reason brings the row */
  :: goto over                                                        /* throttled, conflict, stopped */
  fi;

commit_unknown:
  if
  :: goto look_up                                                     /* the SDK's own retry is cancelled by the row */
  :: goto refuse                                                      /* the split call is refused as invalid */
#ifdef MUTANT_ACK_ON_UNKNOWN_COMMIT
  :: goto finished
#endif
  fi;

take_over:
#ifdef MUTANT_EXPIRED_LEASE_IS_PROOF
  goto mark;
#endif
  if
  :: atomic { row == PENDING && owner == seen_owner && zero == seen_zero -> execute_takeover(me); goto publish }
  :: atomic { row == PENDING && owner == seen_owner && zero == seen_zero -> execute_takeover(me); goto over }
  :: goto over                                                        /* its condition failed, the call failed, stopped */
  fi;

publish:
#ifdef MUTANT_MARK_BEFORE_PUBLISH
  if
  :: atomic { row == PENDING -> execute_mark() }
  :: goto give_up
  :: goto over
  fi;
  if
  :: atomic { published = 1; goto finished }
  :: goto over
  fi;
#endif
  if
  :: atomic { published = 1; goto mark }
  :: atomic { published = 1; goto give_up }                           /* the answer was lost */
  :: goto give_up
  :: goto over
  fi;

mark:
  if
  :: atomic { row == PENDING -> execute_mark(); goto finished }
  :: atomic { row == PENDING -> execute_mark(); goto give_up }        /* the answer was lost */
  :: atomic { row == SENT -> goto finished }
  :: atomic { row == NONE -> goto finished }                          /* rule 6: failing would commit a second time */
  :: goto give_up
  :: goto over
  fi;

give_up:                                                              /* release the lease, best effort */
  if
  :: atomic { row == PENDING && owner == me -> zero = 1; shard = SHARD_ON_RELEASE; TROUBLE(1); goto over }
  :: goto over
  fi;

finished:
  if
  :: atomic { acknowledge(m); goto over }
  :: goto over
  fi;

  /* Permanent: rule 10. What an earlier attempt committed is no longer judged. */
refuse:
#ifdef MUTANT_QUARANTINE_WITHOUT_LOOK_UP
  if :: !unknown -> goto quarantine :: else -> goto over fi;
#endif
  if
#ifdef MUTANT_QUARANTINE_AFTER_UNKNOWN_COMMIT
  :: atomic { row == NONE -> goto quarantine }
#else
  :: atomic { row == NONE && !unknown -> goto quarantine }
#endif
  :: atomic { row == SENT -> goto quarantine }
  :: atomic { row == SENT -> goto finished }
  :: atomic { row == PENDING && owner == me -> goto publish }
  :: atomic { row == PENDING && owner != me -> seen_owner = owner; seen_zero = zero; goto take_over }
  :: goto over              /* the lease is held, the outcome of our own commit is unknown, the read failed, stopped */
  fi;

quarantine:
  atomic {
    assert(!(was_pending && row == PENDING));                         /* no pending event of an earlier attempt */
    assert(!(late == me && row == NONE));                               /* provably uncommitted by this attempt */
#ifdef MUTANT_ACK_BEFORE_QUARANTINE_SEND
    if
    :: MINE(m) -> msg[m] = GONE; assert(row == SENT || in_dlq[m])     /* G3 */
    :: else
    fi;
#endif
    if
    :: in_dlq[m] = 1; goto quarantined
    :: in_dlq[m] = 1; goto over                                       /* the answer was lost */
    :: goto over
    fi
  }

quarantined:
  if
  :: atomic { MINE(m) -> assert(row == SENT || in_dlq[m]); msg[m] = GONE; goto over }          /* G3 */
  :: goto over
  fi;

  /* Acknowledged, reported as failed, crashed or timed out: for the protocol the last three are one, since process sqs
     may show a hidden message again at any moment, at once or when its visibility has run out. */
over:
  atomic {
    RUNNING(-1);
    m = 0; seen_owner = 0; seen_zero = 0; unknown = 0; was_pending = 0; redelivered = 0; my_life = 0
  }
}

/* The scheduled function: it takes rows in trouble from the index, and any pending row by the sweep. */
proctype relay() {
  byte faults = RELAY_FAULTS;

  /* Its conditional takeover succeeds on the row as read or changes nothing: reading and taking over are one step. */
look:
#ifdef NO_SWEEP
  atomic { row == PENDING && shard -> execute_takeover(RELAY) };
#else
  atomic { row == PENDING -> execute_takeover(RELAY) };
#endif
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

/* Visibility runs out, even while a delivery is running; the last allowed receive is followed by the dead-letter queue. */
proctype sqs(byte m) {
end:
  do
  :: atomic { msg[m] == HIDDEN -> msg[m] = VISIBLE }
  :: atomic { msg[m] == VISIBLE && receives[m] >= MAX_RECEIVES -> msg[m] = MOVED; in_dlq[m] = 1 }
  :: atomic { in_dlq[m] && !IN_QUEUE(m) && redrives < REDRIVES ->
       redrives++; life[m]++; in_dlq[m] = 0; msg[m] = VISIBLE; receives[m] = 0 }
  od
}

/* A call whose caller has given up executes some time. (The one that never does is a choice at the commit.) */
proctype network() {
  bool redelivered;
end:
  do
  :: atomic { late != NOBODY && MAY_COMMIT ->
       redelivered = late_shard; execute_commit(late, late_shard); redelivered = 0; late_shard = 0; late = NOBODY }
  :: atomic { late != NOBODY && row != NONE -> late = NOBODY; late_shard = 0 }
  od
}

#ifdef MUTANT_TTL_ON_PENDING
/* An outage longer than the retention: nothing runs, and DynamoDB deletes the row. */
proctype ttl() {
end:
  do
  :: atomic { row == PENDING && running == 0 -> row = NONE; zero = 0; shard = 0; owner = 0 }
  od
}
#endif

init {
  atomic {
    byte i = 0;
    do :: i < DELIVERIES -> run delivery(i); i++ :: else -> break od;
    i = 0;
    do :: i < MESSAGES -> run sqs(i); i++ :: else -> break od;
    i = 0;
#ifdef MUTANT_TTL_ON_PENDING
    run ttl();
#endif
    run network();
    run relay()
  }
}

/*
 * Liveness needs no fairness here: deliveries, redrives and the relay's faults are finite, so every run comes to rest,
 * and spin extends the last state of a run for ever. A cycle, if there were one, would count against these claims.
 *
 * G2: what is committed is published, and no row stays pending.
 */
ltl committed_is_published { [] ((commits > 0) -> <> (published && row != PENDING)) }
/* Rule 9: what a takeover, a release or a redelivery's commit left behind is found by the index alone, without the sweep. */
ltl trouble_is_indexed { [] (trouble -> <> published) }

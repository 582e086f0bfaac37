/**
 * Every limit of AWS that the core checks, in one place, with the page that states it. Sizes are bytes of UTF-8 unless
 * the name says something else. A limit that AWS may raise is configuration and has only its default here.
 */

/** Hash key value. docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-partition-sort-keys */
export const HASH_KEY_MAX_BYTES = 2048;

/** Sort key value; the same page. */
export const SORT_KEY_MAX_BYTES = 1024;

/** One item, names and values. .../developerguide/Constraints.html#limits-items */
export const ITEM_MAX_BYTES = 400 * 1024;

/** Name of an attribute that is no key. .../developerguide/Constraints.html#limits-attributes */
export const ATTRIBUTE_NAME_MAX_BYTES = 64 * 1024;

/**
 * Levels of an attribute: lists, maps and the scalar inside of them, so that 31 lists around a number are the most.
 * .../developerguide/Constraints.html#limits-attributes-nested-depth; measured on AWS in
 * github.com/nubo-db/dynoxide/issues/110.
 */
export const NESTING_MAX_LEVELS = 32;

/** Significant digits of a number. .../developerguide/HowItWorks.NamingRulesDataTypes.html#HowItWorks.DataTypes.Number */
export const NUMBER_MAX_DIGITS = 38;

/** Power of ten of the leading digit: 1E-130 is the smallest magnitude; the same page. */
export const NUMBER_MIN_MAGNITUDE = -130;

/** Power of ten of the leading digit: 9.99...E+125 is the largest magnitude; the same page. */
export const NUMBER_MAX_MAGNITUDE = 125;

/** Actions of one TransactWriteItems. docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
export const TRANSACTION_MAX_ACTIONS = 100;

/** Items of one transaction together; the same page. */
export const TRANSACTION_MAX_BYTES = 4 * 1024 * 1024;

/** Statements of one BatchExecuteStatement. .../APIReference/API_BatchExecuteStatement.html */
export const BATCH_STATEMENT_MAX = 25;

/** Keys of one BatchGetItem. .../APIReference/API_BatchGetItem.html */
export const BATCH_GET_MAX = 100;

/** One condition or update expression. .../developerguide/Constraints.html#limits-expression-parameters */
export const EXPRESSION_MAX_BYTES = 4 * 1024;

/**
 * Comparisons, ANDs and ORs of one condition. The same page names update expressions only, and functions as well; measured
 * on AWS (github.com/scylladb/scylladb/issues/14473, `test_limits.py`) it is of conditions too, and counts these. Whether it
 * counts functions too we found no measurement of: they do not count here, so that nothing is refused that AWS would take.
 */
export const CONDITION_MAX_OPERATORS = 300;

/** A standard write of one unit. .../developerguide/read-write-operations.html#write-operation-consumption */
export const WRITE_UNIT_BYTES = 1024;

/**
 * What a topic accepts in one call, Publish or PublishBatch: the message, and the name, type and value of each
 * attribute. docs.aws.amazon.com/sns/latest/api/API_PublishBatch.html. The default of `topic_max_bytes`.
 */
export const TOPIC_MAX_BYTES_DEFAULT = 262_144;

/** Entries of one PublishBatch; the same page. */
export const PUBLISH_BATCH_MAX_ENTRIES = 10;

/** Attributes of a message with raw delivery to SQS; more are dropped without a word, message and all. docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html */
export const MESSAGE_MAX_ATTRIBUTES = 10;

/** Attributes of one of our notifications: ours and the operator's, well below the limit, so that a subscriber's own can be added. */
export const NOTIFICATION_ATTRIBUTES_MAX = 8;

/** Characters in the name of a message attribute. docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html */
export const ATTRIBUTE_NAME_MAX_CHARACTERS = 256;

/** A subject: "less than 100 characters long". docs.aws.amazon.com/sns/latest/api/API_Publish.html */
export const SUBJECT_MAX_CHARACTERS = 99;

/** MessageGroupId and MessageDeduplicationId; the same page. */
export const FIFO_ID_MAX_CHARACTERS = 128;

/** A message in SQS with its attributes. docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
export const MESSAGE_MAX_BYTES = 1024 * 1024;

/** What a queue accepts that was never given a limit of its own: Terraform's default, and that of AWS for years. */
export const MESSAGE_DEFAULT_MAX_BYTES = 262_144;

/** Entries of the batch calls of SQS. docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibilityBatch.html */
export const QUEUE_BATCH_MAX_ENTRIES = 10;

/** The longest visibility timeout, seconds; the same page. */
export const VISIBILITY_MAX_SECONDS = 43_200;

/** Our own bound on nesting while a body is read: far above what can be stored, far below what exhausts a stack. */
export const READ_MAX_LEVELS = 128;

/** Our own bound on what a handler has written as JSON: what was read fits inside, and a value that holds itself ends. */
export const WRITE_MAX_LEVELS = 2 * READ_MAX_LEVELS;

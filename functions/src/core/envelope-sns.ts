import { readJson } from './json.ts';
import { isJsonObject, type JsonValue, type Result } from './json-value.ts';
import type { PermanentReason } from './reasons.ts';
import type { MessageAttribute } from './types.ts';

type Attributes = Readonly<Record<string, MessageAttribute>>;

/**
 * A topic delivers wrapped unless its subscription asks for raw delivery, and nothing in the queue says which: both are
 * taken, told apart by the members that SNS always writes, and give the same value and the same attributes.
 * docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html
 */
export function unwrapSns(
  body: JsonValue,
  attributes: Attributes,
): Result<{ readonly value: JsonValue; readonly attributes: Attributes }, PermanentReason> {
  if (
    !isJsonObject(body) ||
    body.Type !== 'Notification' ||
    typeof body.MessageId !== 'string' ||
    typeof body.TopicArn !== 'string' ||
    typeof body.Message !== 'string'
  ) {
    return { ok: true, value: { value: body, attributes } };
  }
  const message = readJson(body.Message);
  if (!message.ok) return message;
  return { ok: true, value: { value: message.value, attributes: attributesOf(body.MessageAttributes) } };
}

function attributesOf(members: JsonValue | undefined): Attributes {
  if (!isJsonObject(members)) return {};
  const attributes: [string, MessageAttribute][] = [];
  for (const name of Object.keys(members)) {
    const attribute = members[name];
    if (isJsonObject(attribute) && typeof attribute.Type === 'string' && typeof attribute.Value === 'string') {
      attributes.push([name, { type: attribute.Type, value: attribute.Value }]);
    }
  }
  return Object.fromEntries(attributes);
}

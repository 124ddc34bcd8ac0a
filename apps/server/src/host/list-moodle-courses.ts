import type { EndUser } from '@lamb/contract';
import { ToolFailure, type MoodleCourse } from '@lamb/plugin-kit';
import { z } from 'zod';
import type { OutboundFetch } from '../outbound/create-outbound-fetch.ts';
import { callMoodle, type MoodleSite } from './call-moodle.ts';
import { toPlainText } from './to-plain-text.ts';

const Users = z.array(z.object({ id: z.int().positive(), email: z.string().optional() }));
const Courses = z.array(
  z.object({
    id: z.int(),
    shortname: z.string().default(''),
    fullname: z.string(),
    summary: z.string().nullish(),
  }),
);

const MAX_SUMMARY_CHARS = 500;

/** The courses of the person whom the server authenticated. Whom it is about can be said nowhere else. */
export async function listMoodleCourses(
  site: MoodleSite | undefined,
  endUser: EndUser,
  fetch: OutboundFetch,
  signal: AbortSignal,
): Promise<MoodleCourse[]> {
  if (!site) throw new ToolFailure('The organisation has not set up Moodle; an administrator can do that.');
  const userid = await findUserId(site, endUser, fetch, signal);
  const answer = await callMoodle(site, 'core_enrol_get_users_courses', { userid }, fetch, signal);
  return read(Courses, answer).map(({ id, shortname, fullname, summary }) => ({
    id,
    shortName: toPlainText(shortname),
    fullName: toPlainText(fullname),
    summary: toPlainText(summary ?? '').slice(0, MAX_SUMMARY_CHARS),
  }));
}

async function findUserId(
  site: MoodleSite,
  { lmsUserId, email, emailConfirmed }: EndUser,
  fetch: OutboundFetch,
  signal: AbortSignal,
): Promise<string> {
  if (lmsUserId !== undefined && /^[1-9]\d{0,14}$/.test(lmsUserId)) return lmsUserId;
  if (email === undefined || email === '') {
    throw new ToolFailure('It is not known who is asking, so their Moodle courses cannot be looked up.');
  }
  if (emailConfirmed !== true) {
    throw new ToolFailure(
      'Nobody has confirmed that the e-mail address of the person who is asking is theirs, so their Moodle courses cannot be looked up. An administrator of the organisation can confirm it, under Members.',
    );
  }
  const parameters = { field: 'email', 'values[0]': email };
  const found = read(Users, await callMoodle(site, 'core_user_get_users_by_field', parameters, fetch, signal));
  // A site may hide addresses; one that it shows must be the one that was asked for.
  const [user, ...others] = found.filter((each) => each.email === undefined || isSame(each.email, email));
  if (!user) throw new ToolFailure('Moodle knows nobody with the e-mail address of the person who is asking.');
  if (others.length > 0) {
    throw new ToolFailure(
      'Several Moodle accounts have the e-mail address of the person who is asking, so theirs cannot be told.',
    );
  }
  return String(user.id);
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function read<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new ToolFailure('Moodle gave an answer that cannot be read.', { cause: parsed.error });
}

import type { MoodleCourse, MoodleUser } from './moodle-user.ts';

/** What a web-service function answers: Moodle sends results and exceptions alike with status 200. */
export function answerMoodleRequest(users: readonly MoodleUser[], token: string, parameters: URLSearchParams): unknown {
  if (parameters.get('moodlewsrestformat') !== 'json') return fail('This server speaks JSON only.', 'codingerror');
  if (parameters.get('wstoken') !== token) return fail('Invalid token - token not found', 'invalidtoken');
  switch (parameters.get('wsfunction')) {
    case 'core_enrol_get_users_courses': {
      const id = Number(parameters.get('userid') ?? Number.NaN);
      if (!Number.isSafeInteger(id)) return invalidParameter();
      // A user who is not there, or is enrolled nowhere, has no courses.
      return (users.find((user) => user.id === id)?.courses ?? []).map(describeCourse);
    }
    case 'core_user_get_users_by_field': {
      const field = parameters.get('field');
      if (field !== 'id' && field !== 'email' && field !== 'username') return invalidParameter();
      const values = [...parameters].flatMap(([name, value]) => (/^values\[\d+\]$/.test(name) ? [value] : []));
      return users
        .map(describeUser)
        .filter((user) => values.some((value) => value.toLowerCase() === String(user[field]).toLowerCase()));
    }
    default:
      return fail('Access control exception', 'accessexception', 'webservice_access_exception');
  }
}

/** An error as Moodle's REST protocol tells it. */
export function fail(message: string, errorcode: string, exception = 'moodle_exception') {
  return { exception, errorcode, message };
}

function invalidParameter() {
  return fail('Invalid parameter value detected', 'invalidparameter', 'invalid_parameter_exception');
}

function describeUser({ id, email, username, fullname }: MoodleUser) {
  return {
    id,
    username: username ?? email.replace(/@.*$/, ''),
    fullname: fullname ?? email,
    email,
    department: '',
    auth: 'manual',
    suspended: false,
    confirmed: true,
    lang: 'en',
    theme: '',
    timezone: '99',
    mailformat: 1,
    description: '',
    descriptionformat: 1,
  };
}

function describeCourse({ id, shortname, fullname, summary = '' }: MoodleCourse) {
  return {
    id,
    shortname,
    fullname,
    displayname: fullname,
    enrolledusercount: 1,
    idnumber: '',
    visible: 1,
    summary,
    summaryformat: 1,
    format: 'topics',
    showgrades: true,
    lang: '',
    enablecompletion: true,
    completionhascriteria: false,
    completionusertracked: true,
    category: 1,
    progress: null,
    completed: null,
    startdate: 1_756_684_800,
    enddate: 0,
    marker: 0,
    lastaccess: null,
    isfavourite: false,
    hidden: false,
    overviewfiles: [],
  };
}

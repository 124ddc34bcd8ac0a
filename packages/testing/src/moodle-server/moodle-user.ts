/** A person of the Moodle site. */
export interface MoodleUser {
  id: number;
  email: string;
  /** Default: made from the e-mail. */
  username?: string;
  fullname?: string;
  courses?: MoodleCourse[];
}

export interface MoodleCourse {
  id: number;
  shortname: string;
  fullname: string;
  /** HTML, as teachers write it. */
  summary?: string;
}

/** The grammar of repository names (OCI distribution 1.1): components of letters and digits, joined by slashes. */
const nameForm = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/

/** The longest name under `/v2/`: the names of organisation and workspace, and a repository's name of 128 characters. */
const maxNameLength = 63 + 63 + 128 + 2

const tagForm = /^\w[\w.-]{0,127}$/

/** Returns whether a text has the form of a repository's name under `/v2/`. */
export const isPathName = (text: string): boolean => text.length <= maxNameLength && nameForm.test(text)

/** Returns whether a text can be a tag (OCI distribution 1.1). */
export const isTag = (text: string): boolean => tagForm.test(text)

/** The prefix of the data plane of objects. */
export const dataPrefix = '/storage-data/v1'

/** The characters that `encodeURIComponent` leaves as they are, and that Signature Version 4 encodes. */
const unescaped = /[!'()*]/g

const percentEncoded = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

/** Returns a text as a segment of a path or a part of a query, encoded as Signature Version 4 demands. */
export const encodeSegment = (text: string): string => encodeURIComponent(text).replace(unescaped, percentEncoded)

/** Returns the path of an object on the data plane; each segment of its name is percent-encoded, and `/` is kept. */
export const objectPath = (bucket: string, name: string): string =>
  `${dataPrefix}/${bucket}/${name.split('/').map(encodeSegment).join('/')}`

/** Returns the query of a URL from decoded parameters. */
export const encodeQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${encodeSegment(name)}=${encodeSegment(value)}`)
    .join('&')

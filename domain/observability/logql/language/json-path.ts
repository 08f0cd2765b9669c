import type { JsonPath } from './log-expression.ts'

const step = /\s*(?:(?<dot>\.)?\s*(?<field>[A-Za-z_]\w*)|\[\s*(?:(?<index>\d+)|"(?<key>[^"\]]*)")\s*\])\s*/y

/**
 * Reads the way to a value in JSON, such as `request.headers["x-id"][0]`; undefined for malformed texts. A point stands
 * before each field but the first one.
 */
export function jsonPathOf(text: string): JsonPath | undefined {
  const path: (string | number)[] = []
  step.lastIndex = 0
  let end = 0
  while (end < text.length) {
    const { dot, field, index, key } = step.exec(text)?.groups ?? {}
    if (field !== undefined && (dot !== undefined) !== path.length > 0) return undefined
    if (index !== undefined) path.push(Number(index))
    else {
      const name = field ?? key
      if (name === undefined) return undefined
      path.push(name)
    }
    end = step.lastIndex
  }
  return path.length === 0 ? undefined : path
}

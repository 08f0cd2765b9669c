/**
 * Formats the path of a field in the form of errors (conventions §7): `data_disks[0].size_gib`, `labels["Not a word"]`.
 * A name is cut at 80 characters.
 */
export function fieldOf(path: readonly (string | number)[]): string {
  return path.reduce<string>((field, step) => {
    if (typeof step === 'number') return `${field}[${step}]`
    const name = isWord(step) ? step : `[${JSON.stringify(shortened(step))}]`
    return field === '' || !isWord(step) ? field + name : `${field}.${name}`
  }, '')
}

const isWord = (name: string): boolean => /^[\w$-]{1,80}$/.test(name)

const shortened = (name: string): string => (name.length > 80 ? `${name.slice(0, 77)}...` : name)

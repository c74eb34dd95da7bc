/** The values of an enum that names fields; each stands for the field itself. */
export function enumValues(fields: readonly { readonly name: string }[]) {
  return Object.fromEntries(fields.map((field) => [field.name, { value: field }]))
}

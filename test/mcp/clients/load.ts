/** In this folder, so that a name is resolved among the packages that are installed here. */
// oxlint-disable-next-line typescript/no-explicit-any -- Types must also check where the packages are not installed.
export const load = (name: string): Promise<any> => import(name)

/** The files at the root of a directory of lexicons that are not lexicon documents. */

/** Reference targets. */
export const referencesFile = 'references.json'

/** Collections whose records are grouped into stories. */
export const storiesFile = 'stories.json'

/** How records are shown to people; its content has no meaning here. */
export const displayFile = 'display.json'

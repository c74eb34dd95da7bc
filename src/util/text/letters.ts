/**
 * Letters and signs that folding writes as what people type for them, although Unicode does not decompose them. Keys are
 * in lower case. A test compares the Latin letters with PostgreSQL's `unaccent.rules`, and those of other scripts with
 * the collations of CLDR.
 */

/** From `unaccent.rules` of PostgreSQL (PostgreSQL Licence), which follows CLDR's transform Latin-ASCII: what is typed, then its letters. */
const latin =
  'aᴀᶏⱥ aaꜳ aeæᴁ aoꜵ auꜷ avꜹꜻ ayꜽ bƀƃɓʙᴃᵬᶀ cƈȼɕᴄꞓ dðđƌȡɖɗᴅᴆᵭᶁᶑꝱꝺ dbȸ dzʣʥ eɇɛᴇᶒᶓⱸ fƒᵮᶂꜰꝼ gǥɠɡɢʛᶃꞡ hħɦɧʜⱨ hvƕ ' +
  'iıɨɪᵻᶖ jȷɉɟʝᴊ kƙᴋᶄⱪꝁꝃꝅꞣ lłƚȴɫɬɭʟᴌᶅⱡꝇꝉꝲ llỻ lsʪ lzʫ mɱᴍᵯᶆꝳ nŋƞȵɲɳɴᵰᶇꝴꞑꞥ oøᴏⱺꝋꝍ oeœɶ oiƣ ooꝏ pƥᴘᵱᵽᶈꝑꝓꝕ ' +
  'qĸʠꝗꝙ qpȹ rɍɼɽɾʀᵲᵳᶉꝵꝶꞧ sȿʂᵴᶊẜẝꜱꞩ ssß tŧƫƭȶʈᴛᵵⱦꝷꞇ thþᵺꝥꝧ tsʦ uʉᴜᵾᶙ ueᵫ vʋᴠᶌỽⱱⱴꝟ vyꝡ wᴡⱳ xᶍ yƴɏʏỿ zƶȥɀʐʑᴢᵶᶎⱬ'

/**
 * From the same rules, and of Armenian and Hebrew: what is typed, then its other forms. What Unicode calls a dash needs
 * no entry.
 */
const signs = `'\`ʹʻʼʽˈ‘’‛′՚׳ "ʺ“”„‟״ -˗ /⁄∕`

/** Accents without a letter that stand for an apostrophe; Unicode would decompose them to a space and an accent. */
export const spacingAccents = '´\u1ffd΄᾽᾿῾'

/** Of two letters that a collation of CLDR orders as one: the usual one, then others. */
const others = 'σς гґ اٱ كک يىی هةہۃ'

/** What folding writes instead of a letter in lower case, or of a sign. */
export const letters: ReadonlyMap<string, string> = new Map([
  ...latin.split(' ').flatMap((group) => {
    const [typed = ''] = /^[a-z]+/.exec(group) ?? []
    return pairs(group.slice(typed.length), typed)
  }),
  ...`${others} ${signs}`.split(' ').flatMap((group) => pairs(group.slice(1), group.charAt(0))),
])

function pairs(from: string, to: string): [string, string][] {
  return [...from].map((letter) => [letter, to])
}

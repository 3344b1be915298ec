import { frozenSet } from './frozen.ts';

/** Each code has three letters: spaces between them would be a hundredth of the compressed package. */
function setOf(codes: string): ReadonlySet<string> {
  return frozenSet(codes.match(/.../g) ?? []);
}

/**
 * The accepted ISO 4217 currency codes: all active national and regional currencies. Codes that no price uses are
 * excluded: precious metals, bond-market units, fund codes, the testing code and "no currency". The list is explicit
 * because `Intl.supportedValuesOf('currency')` differs between runtimes.
 */
export const CURRENCIES: ReadonlySet<string> = setOf(
  'AEDAFNALLAMDAOAARSAUDAWGAZNBAMBBDBDTBHDBIFBMDBNDBOBBRLBSDBTNBWPBYNBZDCADCDFCHFCLPCNYCOPCRCCUPCVECZK' +
    'DJFDKKDOPDZDEGPERNETBEURFJDFKPGBPGELGHSGIPGMDGNFGTQGYDHKDHNLHTGHUFIDRILSINRIQDIRRISKJMDJODJPYKESKGS' +
    'KHRKMFKPWKRWKWDKYDKZTLAKLBPLKRLRDLSLLYDMADMDLMGAMKDMMKMNTMOPMRUMURMVRMWKMXNMYRMZNNADNGNNIONOKNPRNZD' +
    'OMRPABPENPGKPHPPKRPLNPYGQARRONRSDRUBRWFSARSBDSCRSDGSEKSGDSHPSLESOSSRDSSPSTNSVCSYPSZLTHBTJSTMTTNDTOP' +
    'TRYTTDTWDTZSUAHUGXUSDUYUUZSVEDVESVNDVUVWSTXAFXCDXCGXOFXPFYERZARZMWZWG',
);

/**
 * The currencies that ISO 4217 has withdrawn since November 1996, by the same choice. Imported orders may have them, and
 * later commands on these.
 */
export const WITHDRAWN_CURRENCIES: ReadonlySet<string> = setOf(
  'ADPAFAANGAONAORATSAYMAZMBADBEFBGLBGNBYBBYRCSDCUCCYPDEMECSEEKESPFIMFRFGHCGHPGRDGWPHRKIEPITLLTLLUFLVLMGF' +
    'MROMTLMZMNLGPLZPTEROLRURSDDSDPSITSKKSLLSRGSTDTJRTMMTPETRLVEBVEFYUMZMKZRNZWDZWLZWNZWR',
);

/** The currencies without minor units, and those with three digits. All others of both lists have two. */
const [NO_DIGITS, THREE_DIGITS] = [
  setOf('ADPBEFBIFBYBBYRCLPDJFESPGNFGRDISKITLJPYKMFKRWLUFMGFPTEPYGRWFTPETRLUGXVNDVUVXAFXOFXPF'),
  setOf('BHDIQDJODKWDLYDOMRTND'),
];

/**
 * Returns how many digits the minor units of a currency have by ISO 4217: an amount of 1250 is 12.50 EUR, but 1250 JPY.
 * `Intl` has fewer digits for some currencies, and others in other versions, so that it is no source of them.
 *
 * @throws {RangeError} the currency is neither one of {@link CURRENCIES} nor of {@link WITHDRAWN_CURRENCIES}
 */
export function minorUnits(currency: string): number {
  if (!CURRENCIES.has(currency) && !WITHDRAWN_CURRENCIES.has(currency))
    throw new RangeError(`the currency ${JSON.stringify(currency)} is unknown`);
  return NO_DIGITS.has(currency) ? 0 : THREE_DIGITS.has(currency) ? 3 : 2;
}

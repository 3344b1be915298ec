import { frozenSet } from './frozen.ts';

/**
 * The accepted ISO 4217 currency codes: all active national and regional currencies. Codes that no price uses are
 * excluded: precious metals, bond-market units, fund codes, the testing code and "no currency". The list is explicit
 * because `Intl.supportedValuesOf('currency')` differs between runtimes. Each code has three letters: spaces between them
 * would be a hundredth of the compressed package.
 */
export const CURRENCIES: ReadonlySet<string> = frozenSet(
  (
    'AEDAFNALLAMDAOAARSAUDAWGAZNBAMBBDBDTBHDBIFBMDBNDBOBBRLBSDBTNBWPBYNBZDCADCDFCHFCLPCNYCOPCRCCUPCVECZK' +
    'DJFDKKDOPDZDEGPERNETBEURFJDFKPGBPGELGHSGIPGMDGNFGTQGYDHKDHNLHTGHUFIDRILSINRIQDIRRISKJMDJODJPYKESKGS' +
    'KHRKMFKPWKRWKWDKYDKZTLAKLBPLKRLRDLSLLYDMADMDLMGAMKDMMKMNTMOPMRUMURMVRMWKMXNMYRMZNNADNGNNIONOKNPRNZD' +
    'OMRPABPENPGKPHPPKRPLNPYGQARRONRSDRUBRWFSARSBDSCRSDGSEKSGDSHPSLESOSSRDSSPSTNSVCSYPSZLTHBTJSTMTTNDTOP' +
    'TRYTTDTWDTZSUAHUGXUSDUYUUZSVEDVESVNDVUVWSTXAFXCDXCGXOFXPFYERZARZMWZWG'
  ).match(/.../g) ?? [],
);

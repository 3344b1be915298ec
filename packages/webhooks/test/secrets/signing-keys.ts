/** Two signing keys, which no server has. */
export const FIRST_KEY: string = Buffer.from('the first signing key of the tests').toString('base64');
export const SECOND_KEY: string = Buffer.from('the second signing key of the tests').toString('base64');

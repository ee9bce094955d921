/** Servers and providers quote the key that they refuse: `text` with each of `secrets` replaced by `[key]`. */
export function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets.reduce((clean: string, secret) => (secret ? clean.replaceAll(secret, '[key]') : clean), text);
}

// An agent without a token: it finds out at an address where to sign in, prints where its person must go, reads the code from the standard
// input, and then lists the tools, resolves an error, and renews its token.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createInterface } from "node:readline/promises";

const [address, redirect, error] = process.argv.slice(2);
const kept = {};
const provider = {
  redirectUrl: redirect,
  clientMetadata: { client_name: "Agent of the story", redirect_uris: [redirect], token_endpoint_auth_method: "none" },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  redirectToAuthorization: (url) => console.log(JSON.stringify({ page: url.href })),
};
const connected = async () => {
  const client = new Client({ name: "story", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: provider });
  try {
    await client.connect(transport);
  } catch (refusal) {
    if (!(refusal instanceof UnauthorizedError)) throw refusal;
    const input = createInterface({ input: process.stdin });
    await transport.finishAuth(await input.question(""));
    input.close();
    return connected();
  }
  return client;
};

const agent = await connected();
const { tools } = await agent.listTools();
const resolved = await agent.callTool({ name: "update_error", arguments: { error, resolved: true } });
const first = kept.tokens.access_token;
kept.tokens = { ...kept.tokens, access_token: "expired" };
const read = await agent.callTool({ name: "get_error", arguments: { error } });
console.log(JSON.stringify({
  tools: tools.map((tool) => tool.name), scope: kept.tokens.scope, renewed: ![first, "expired"].includes(kept.tokens.access_token),
  resolved: resolved.content[0].text, failed: Boolean(resolved.isError), read: read.content[0].text,
}));
await agent.close();

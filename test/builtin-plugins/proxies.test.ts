import { textOf } from 'pegboard';
import { anthropicModel, builtinPlugins } from 'pegboard/builtin-plugins';
import { proxiedFetch } from 'pegboard/kit';
import { startHost } from 'pegboard/testing';
import { createServer } from 'node:http';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';

import { openModel } from '../../cli/open-model.ts';
import { listenHere } from '../support/listen-here.ts';
import { startOddServer } from '../support/odd-server.ts';
import { proxyServer } from '../support/proxy-server.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

afterEach(() => vi.unstubAllEnvs());

test('M11.4 WebFetch gets a page by way of the proxy of the environment', async () => {
  const site = await listenHere(createServer((_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('far')));
  const proxy = await proxyServer(site.url);
  vi.stubEnv('HTTP_PROXY', proxy.url);
  const { host, stop } = await startHost({ builtins: builtinPlugins(), rules: { allow: ['WebFetch(domain:page.invalid)'] } });
  onTestFinished(async () => {
    await stop();
    await proxy.close();
    await site.close();
  });
  const { result } = await host.call('WebFetch', { url: 'http://page.invalid/a' });
  expect(textOf(result.content)).toContain('far');
  expect(proxy.asked).toEqual(['GET http://page.invalid/a']);
});

test('a model is asked by way of the proxy of the environment', async () => {
  const server = await startOddServer({}, [{ text: 'Done.' }]);
  const proxy = await proxyServer(server.url);
  const home = await temporaryFolder();
  onTestFinished(async () => {
    await proxy.close();
    await server.close();
    await home.remove();
  });
  const { signal } = new AbortController();
  const env = { HTTP_PROXY: proxy.url, ANTHROPIC_BASE_URL: 'http://model.example', ANTHROPIC_API_KEY: 'none' };
  await openModel({ name: 'some-model', home: home.path, signal, env });
  expect(new Set(proxy.asked)).toEqual(new Set(['POST http://model.example/v1/messages']));
  const refused = await proxyServer(server.url, 407);
  const send = proxiedFetch({ HTTPS_PROXY: refused.url });
  const options = { model: 'm', credential: { kind: 'key', value: 'k', from: 'here' }, retries: 0, send } as const;
  const asked = anthropicModel({ ...options, address: 'https://model.example' }, signal);
  await expect(asked).rejects.toThrow(`the proxy ${refused.url} (HTTPS_PROXY) refused, HTTP 407`);
  await refused.close();
});

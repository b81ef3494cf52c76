import type {
	IAuthenticateGeneric,
	IAuthenticateRuleResponseSuccessBody,
	Icon,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

/** What a gateway says of a key that it does not accept: the `code` of each 401. */
const REFUSALS: Record<string, string> = {
	missing_api_key: 'The API key is empty',
	malformed_authorization: 'This is no API key: copy it again, whole',
	invalid_api_key: 'The gateway does not know this API key',
	expired_api_key: 'This API key has expired',
	revoked_api_key: 'This API key was revoked',
};

/** Every answer but 200, and the two that the rules below read: 401, and 403 for a scope. */
const FAILURES = [400, 404, 405, 408, 410, 413, 421, 429, 500, 501, 502, 503, 504];

export class HeliographApi implements ICredentialType {
	name = 'heliographApi';

	displayName = 'Heliograph API';

	icon: Icon = {
		light: 'file:../icons/heliograph.svg',
		dark: 'file:../icons/heliograph.dark.svg',
	};

	documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-heliograph';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			placeholder: 'https://gateway.example.com',
			description: 'The address of your gateway, without /api/v1',
			required: true,
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			placeholder: 'hg_…',
			description: 'A key of your organization, with the scopes that your workflows need',
			required: true,
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
	};

	// Every operation needs a scope, and a key need not have any one of them. So this asks for what
	// most keys may read, and takes 403, which only a valid key is answered, for success.
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}',
			url: '/api/v1/messages',
			qs: { limit: 1 },
			// n8n 2.8 knows only `true`, and takes this for it
			ignoreHttpStatusErrors: { ignore: true, except: FAILURES } as unknown as boolean,
		},
		rules: Object.entries(REFUSALS).map(
			([value, message]): IAuthenticateRuleResponseSuccessBody => ({
				type: 'responseSuccessBody',
				properties: { key: 'code', value, message },
			}),
		),
	};
}

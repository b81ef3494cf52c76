import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { ICredentialsHelper } = require('n8n-workflow');

/** What n8n keeps in its database: here one credential of this package, in memory. */
export class Credentials extends ICredentialsHelper {
	constructor(loader, data) {
		super();
		this.loader = loader;
		this.data = data;
	}

	getParentTypes() {
		return [];
	}

	async getDecrypted() {
		return { ...this.data };
	}

	async preAuthentication() {
		return undefined;
	}

	getCredentialsProperties(type) {
		return this.loader.getCredential(type).type.properties;
	}

	/** Evaluate the expressions of the credential's own `authenticate`, as n8n does. */
	async authenticate(credentials, type, request, workflow, node) {
		const { authenticate } = this.loader.getCredential(type).type;
		const keys = { $credentials: credentials };
		const headers = Object.entries(authenticate.properties.headers).map(([name, value]) => [
			name,
			workflow.expression.getSimpleParameterValue(node, value, 'internal', keys, undefined, ''),
		]);
		return { ...request, headers: { ...request.headers, ...Object.fromEntries(headers) } };
	}
}

import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { isPage, readAddress } from './address';
import { toApiError } from './errors';

export const CREDENTIALS = 'heliographApi';

/** Whatever of n8n's contexts a request is made from. */
export type Caller = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

export interface GatewayRequest {
	method: IHttpRequestMethods;
	/** Below `/api/v1`. */
	path: string;
	query?: IDataObject;
	body?: IDataObject | Buffer;
	headers?: IDataObject;
	/** The item that the request is for, to be named in an error. */
	itemIndex?: number;
}

/** Ask the gateway. Throws a `NodeApiError` with the gateway's own sentence if it refuses. */
export async function callGateway<T = IDataObject>(
	caller: Caller,
	request: GatewayRequest,
): Promise<T> {
	const response = await send(caller, request);
	if (isRefusal(response)) throw toApiError(caller.getNode(), response, request.itemIndex);
	return response.body as T;
}

/** The same, but null where the gateway does not know what is asked for. */
export async function findAtGateway<T = IDataObject>(
	caller: Caller,
	request: GatewayRequest,
): Promise<T | null> {
	const response = await send(caller, request);
	if (response.statusCode === 404 && !isPage(response)) return null;
	if (isRefusal(response)) throw toApiError(caller.getNode(), response, request.itemIndex);
	return response.body as T;
}

async function send(caller: Caller, request: GatewayRequest): Promise<IN8nHttpFullResponse> {
	const { baseUrl } = await caller.getCredentials<{ baseUrl: string }>(CREDENTIALS);
	const options: IHttpRequestOptions = {
		method: request.method,
		url: `${readAddress(caller.getNode(), baseUrl, request.itemIndex)}/api/v1${request.path}`,
		qs: withoutUnset(request.query ?? {}),
		body: request.body,
		headers: request.headers,
		json: true,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true, // n8n would hide the gateway's sentence behind one of its own
	};
	return await caller.helpers.httpRequestWithAuthentication.call(caller, CREDENTIALS, options);
}

function isRefusal(response: IN8nHttpFullResponse): boolean {
	return response.statusCode < 200 || response.statusCode > 299 || isPage(response);
}

/** What is left of it without the values that nobody has filled in. */
export function withoutUnset(values: IDataObject): IDataObject {
	const isSet = ([, value]: [string, unknown]) =>
		value !== undefined && value !== null && value !== '';
	return Object.fromEntries(Object.entries(values).filter(isSet));
}

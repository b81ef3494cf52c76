import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { getDevices } from '../transport/devices';
import { type Event, readEvents } from './events';
import { triggerFields } from './properties';
import { isSigned } from './signature';
import { removeStrays, renew, type StaticData, subscribe, unsubscribe } from './subscription';

export class HeliographTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Heliograph Trigger',
		name: 'heliographTrigger',
		icon: {
			light: 'file:../../icons/heliograph.svg',
			dark: 'file:../../icons/heliograph.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		description: 'Starts the workflow when something happens on a Heliograph gateway',
		defaults: { name: 'Heliograph Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'heliographApi', required: true }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				path: 'webhook',
			},
		],
		properties: triggerFields,
	};

	methods = { loadOptions: { getDevices } };

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				if (await renew(this)) return true;
				await removeStrays(this);
				return false;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				await subscribe(this);
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				await unsubscribe(this);
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const { headers, rawBody } = this.getRequestObject();
		const { secret } = this.getWorkflowStaticData('node') as StaticData;
		if (!secret || !rawBody || !isSigned(secret, headers, rawBody, Date.now())) {
			return refuse(this);
		}
		const events = readEvents(headers['webhook-id'] as string, rawBody);
		const wanted = events.filter((event) => isWanted(this, event));
		if (wanted.length === 0) return { webhookResponse: { message: 'Nothing to start' } };
		return { workflowData: [wanted.map((event) => ({ json: event }))] };
	}
}

/** A ping is posted to every webhook; it starts only a workflow that has chosen it. */
function isWanted(context: IWebhookFunctions, { type }: Event): boolean {
	const chosen = context.getNodeParameter('events') as string[];
	return type !== 'webhook.ping' || chosen.includes('webhook.ping') || chosen.includes('*');
}

function refuse(context: IWebhookFunctions): IWebhookResponseData {
	const message = 'This request is not signed with the secret of the webhook, or is too old';
	context.getResponseObject().status(401).json({ message });
	return { noWebhookResponse: true };
}

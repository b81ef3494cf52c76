// The built package in n8n's own engine, without its server and database. Reads requests as lines of
// JSON, `{"method", "params"}`, and answers each with a line, `{"result"}` or `{"error"}`.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { Credentials } from './credentials.mjs';

const require = createRequire(import.meta.url);
const core = require('n8n-core');
const n8n = require('n8n-workflow');

// what n8n logs must not come between the answers
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

const PACKAGE = new URL('..', import.meta.url).pathname;
const ACCESS = { baseUrl: process.argv[2], apiKey: process.env.API_KEY };

const loader = new core.PackageDirectoryLoader(PACKAGE);
await loader.loadAll();
const credentials = new Credentials(loader, ACCESS);

const nodeTypes = {
	getByName: (name) => loader.getNode(name.split('.').at(-1)).type,
	getByNameAndVersion: (name) => loader.getNode(name.split('.').at(-1)).type,
	getKnownTypes: () => loader.known.nodes,
};

/** A workflow of one node. */
function workflowOf(type, parameters, settings = {}) {
	const node = {
		id: 'b3a1c2d4-0000-4000-8000-000000000001',
		name: 'Heliograph',
		type: `n8n-nodes-heliograph.${type}`,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		credentials: { heliographApi: { id: '1', name: 'Gateway' } },
		webhookId: 'heliograph-test',
		...settings,
	};
	const workflow = new n8n.Workflow({
		id: 'workflow-1',
		name: 'Test',
		nodes: [node],
		connections: {},
		active: true,
		nodeTypes,
		staticData: {},
		settings: { timezone: 'Europe/Berlin' },
	});
	return { workflow, node: workflow.getNode(node.name) };
}

function additionalDataOf(more = {}) {
	return {
		credentialsHelper: credentials,
		currentNodeExecutionIndex: 0,
		restApiUrl: 'http://localhost/rest',
		instanceBaseUrl: 'http://localhost',
		formWaitingBaseUrl: 'http://localhost/form-waiting',
		webhookBaseUrl: `${hookUrl()}/webhook`,
		webhookWaitingBaseUrl: `${hookUrl()}/webhook-waiting`,
		webhookTestBaseUrl: `${hookUrl()}/webhook-test`,
		variables: {},
		hooks: new core.ExecutionLifecycleHooks('manual', more.executionId ?? '1', {}),
		...more,
	};
}

// --- the action node -----------------------------------------------------------------------------

/** Run the node on these items by n8n's own loop, with its retries and error outputs. */
async function execute({ parameters, items, settings, executionId, access }) {
	credentials.data = { ...ACCESS, ...access };
	const { workflow, node } = workflowOf('heliograph', parameters, settings);
	const input = await Promise.all(items.map(toItem));
	const data = n8n.createRunExecutionData({
		executionData: {
			nodeExecutionStack: [{ node, data: { main: [input] }, source: null }],
		},
	});
	const engine = new core.WorkflowExecute(additionalDataOf({ executionId }), 'manual', data);
	const run = await engine.processRunExecutionData(workflow);
	const [task] = run.data.resultData.runData[node.name] ?? [];
	const error = run.data.resultData.error ?? task?.error;
	if (error) return { error: shown(error) };
	return { outputs: (task.data.main ?? []).map((output) => (output ?? []).map(fromItem)) };
}

function shown(error) {
	const { name, message, description, httpCode, context } = error;
	return { name, message, description, httpCode, itemIndex: context?.itemIndex };
}

async function toItem({ json = {}, file }, index) {
	const item = { json, pairedItem: { item: index } };
	if (!file) return item;
	const bytes = Buffer.from(file.base64, 'base64');
	const data = { mimeType: file.mimeType, fileName: file.fileName, data: '' };
	item.binary = { data: await core.setBinaryDataBuffer(data, bytes, 'workflow-1', '1') };
	return item;
}

function fromItem({ json, binary, pairedItem }) {
	return { json, binary, pairedItem };
}

// --- the trigger node ----------------------------------------------------------------------------

const server = createServer((request, response) => {
	receive(request, response).catch((error) => {
		console.error(error);
		response.writeHead(500).end();
	});
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

function hookUrl() {
	return `http://127.0.0.1:${server.address().port}`;
}

const trigger = { started: [] };

/** What n8n does when a workflow is activated; true if the webhook had to be made. */
async function activate({ parameters, keepStaticData = false }) {
	const { workflow, node } = workflowOf('heliographTrigger', parameters);
	if (keepStaticData) workflow.staticData = trigger.workflow.staticData;
	Object.assign(trigger, { workflow, node, type: nodeTypes.getByName(node.type) });
	if (await hook('checkExists')) return { created: false };
	return { created: await hook('create') };
}

async function deactivate() {
	return await hook('delete');
}

async function hook(method) {
	const { workflow, node, type } = trigger;
	const context = new core.HookContext(workflow, node, additionalDataOf(), 'trigger', 'activate');
	return await type.webhookMethods.default[method].call(context);
}

async function receive(request, response) {
	const chunks = [];
	for await (const chunk of request) chunks.push(chunk);
	const rawBody = Buffer.concat(chunks);
	const { workflow, node, type } = trigger;
	const webhookData = { webhookDescription: type.description.webhooks[0], node: node.name };
	const additionalData = additionalDataOf({
		httpRequest: Object.assign(request, { rawBody, params: {}, query: {} }),
		httpResponse: expressLike(response),
	});
	const context = new core.WebhookContext(
		workflow,
		node,
		additionalData,
		'webhook',
		webhookData,
		[],
		null,
	);
	const outcome = await type.webhook.call(context);
	if (outcome.workflowData) trigger.started.push(outcome.workflowData[0].map(fromItem));
	if (!outcome.noWebhookResponse) response.writeHead(200).end('{}');
}

/** The two methods of n8n's server that nodes answer with. */
function expressLike(response) {
	return {
		status(code) {
			response.statusCode = code;
			return this;
		},
		json(body) {
			response.end(JSON.stringify(body));
		},
	};
}

// --- what tests ask ------------------------------------------------------------------------------

async function loadOptions({ type, method }) {
	const { workflow, node } = workflowOf(type, {});
	const context = new core.LoadOptionsContext(workflow, node, additionalDataOf(), '');
	return await nodeTypes.getByName(node.type).methods.loadOptions[method].call(context);
}

const methods = {
	execute,
	activate,
	deactivate,
	loadOptions,
	describe: () => ({
		nodes: Object.values(loader.nodeTypes).map(({ type }) => type.description),
		credentials: Object.values(loader.credentialTypes).map(({ type }) => type),
	}),
	hook: () => ({
		url: hookAddress(),
		started: trigger.started,
		staticData: trigger.workflow.getStaticData('node', trigger.node),
	}),
};

function hookAddress() {
	const { workflow, node } = trigger;
	return new core.HookContext(
		workflow,
		node,
		additionalDataOf(),
		'trigger',
		'activate',
	).getNodeWebhookUrl('default');
}

for await (const line of createInterface({ input: process.stdin })) {
	const { method, params = {} } = JSON.parse(line);
	const answer = await Promise.resolve()
		.then(() => methods[method](params))
		.then(
			(result) => ({ result: result ?? null }),
			(error) => ({ error: { ...shown(error), stack: error.stack } }),
		);
	write(`${JSON.stringify(answer)}\n`);
}
process.exit(0);

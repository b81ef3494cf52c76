import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { callGateway } from '../transport/request';
import { idempotencyKeyOf } from './idempotency';

/** Where a file can be fetched for some time, and what is known of it. */
interface StoredFile {
	url: string;
	name?: string;
	mediaType?: string;
	record: IDataObject;
}

/** Upload the item's binary data under its own name and type, and answer the file's record. */
export async function uploadBinary(
	context: IExecuteFunctions,
	itemIndex: number,
	property: string,
	idempotencyKey: string,
	fileName?: string,
): Promise<IDataObject> {
	const { mimeType, fileName: ownName } = context.helpers.assertBinaryData(itemIndex, property);
	return await callGateway(context, {
		method: 'POST',
		path: '/media',
		query: { file_name: fileName || ownName },
		body: await context.helpers.getBinaryDataBuffer(itemIndex, property),
		headers: { 'Content-Type': mimeType, 'Idempotency-Key': idempotencyKey },
		itemIndex,
	});
}

export async function upload(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
	const property = context.getNodeParameter('binaryPropertyName', itemIndex) as string;
	const fileName = context.getNodeParameter('fileName', itemIndex, '') as string;
	const key = idempotencyKeyOf(context, itemIndex);
	return await uploadBinary(context, itemIndex, property, key, fileName);
}

/** Download a file as the item's binary data; its record, or its message's, is the JSON. */
export async function download(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const isOfMessage = context.getNodeParameter('downloadFrom', itemIndex) === 'message';
	const file = await (isOfMessage ? findFileOfMessage : findUploadedFile)(context, itemIndex);
	const property = context.getNodeParameter('outputProperty', itemIndex) as string;
	const bytes = await fetchBytes(context, file.url);
	const binary = await context.helpers.prepareBinaryData(bytes, file.name, file.mediaType);
	return { json: file.record, binary: { [property]: binary } };
}

/** The link is signed, and leads to where the files are: it needs no key and must get none. */
async function fetchBytes(context: IExecuteFunctions, url: string): Promise<Buffer> {
	const bytes = await context.helpers.httpRequest({ url, encoding: 'arraybuffer' });
	return Buffer.from(bytes as ArrayBuffer);
}

async function findUploadedFile(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<StoredFile> {
	const id = encodeURIComponent(context.getNodeParameter('mediaId', itemIndex) as string);
	const record = await callGateway(context, { method: 'GET', path: `/media/${id}`, itemIndex });
	return {
		url: record.url as string,
		name: (record.file_name as string | null) ?? undefined,
		mediaType: record.media_type as string,
		record,
	};
}

async function findFileOfMessage(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<StoredFile> {
	const id = encodeURIComponent(context.getNodeParameter('messageId', itemIndex) as string);
	const record = await callGateway(context, { method: 'GET', path: `/messages/${id}`, itemIndex });
	const url = record.media_url as string | null;
	if (!url) {
		throw new NodeOperationError(context.getNode(), 'This message has no file', { itemIndex });
	}
	const content = (record.typed_content ?? {}) as { file_name?: string | null };
	return {
		url,
		name: content.file_name ?? undefined,
		mediaType: (record.media_type as string | null) ?? undefined,
		record,
	};
}

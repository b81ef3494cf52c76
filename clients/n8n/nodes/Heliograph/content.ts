import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { withoutUnset } from '../transport/request';
import { uploadBinary } from './media';

/** What `content` needs to be read from: the node's parameters for one item. */
interface Source {
	context: IExecuteFunctions;
	itemIndex: number;
	/** The key of an upload, if the content is a file of the item. */
	uploadKey: string;
}

type Reader = (source: Source) => IDataObject | Promise<IDataObject>;

const READERS: Record<string, Reader> = {
	audio: async (source) => ({ ...(await readFile(source)), voice: read(source, 'voice') }),
	buttons: readButtons,
	contact: readContact,
	document: readCaptionedFile,
	image: readCaptionedFile,
	link_button: readLinkButton,
	list: readList,
	location: readLocation,
	location_request: (source) => ({ body: read(source, 'body') }),
	poll: readPoll,
	sticker: readFile,
	text: readText,
	video: readCaptionedFile,
};

/** Read the message's `content` for this item; a file of the item is uploaded for it. */
export async function readContent(
	context: IExecuteFunctions,
	itemIndex: number,
	uploadKey: string,
): Promise<IDataObject> {
	const type = context.getNodeParameter('messageType', itemIndex) as string;
	const reader = READERS[type];
	if (!reader) {
		throw new NodeOperationError(context.getNode(), `There is no message type '${type}'`, {
			itemIndex,
		});
	}
	return { type, ...(await reader({ context, itemIndex, uploadKey })) };
}

function read<T = string>({ context, itemIndex }: Source, name: string, fallback?: T): T {
	return context.getNodeParameter(name, itemIndex, fallback) as T;
}

/** The optional members of this kind: `header`, `footer`, `caption` and the like. */
function readContentOptions(source: Source): IDataObject {
	return withoutUnset(read<IDataObject>(source, 'contentOptions', {}));
}

function readText(source: Source): IDataObject {
	const { previewUrl, mentions } = readContentOptions(source);
	return withoutUnset({ body: read(source, 'body'), preview_url: previewUrl, mentions });
}

function readButtons(source: Source): IDataObject {
	const { button = [] } = read<{ button?: IDataObject[] }>(source, 'buttons', {});
	return { body: read(source, 'body'), buttons: button, ...readContentOptions(source) };
}

function readLinkButton(source: Source): IDataObject {
	return {
		body: read(source, 'body'),
		title: read(source, 'linkTitle'),
		url: read(source, 'linkUrl'),
		...readContentOptions(source),
	};
}

interface Row {
	section: string;
	id: string;
	title: string;
	description: string;
}

function readList(source: Source): IDataObject {
	const { row = [] } = read<{ row?: Row[] }>(source, 'rows', {});
	return {
		body: read(source, 'body'),
		button: read(source, 'listButton'),
		sections: toSections(row),
		...readContentOptions(source),
	};
}

/** Rows of the same section come together, in the order in which the sections are first named. */
function toSections(rows: Row[]): IDataObject[] {
	const sections = new Map<string, IDataObject[]>();
	for (const { section = '', ...row } of rows) {
		sections.set(section, [...(sections.get(section) ?? []), withoutUnset(row)]);
	}
	return [...sections].map(([title, found]) => withoutUnset({ title, rows: found }));
}

function readLocation(source: Source): IDataObject {
	return {
		latitude: read<number>(source, 'latitude'),
		longitude: read<number>(source, 'longitude'),
		...readContentOptions(source),
	};
}

function readContact(source: Source): IDataObject {
	return { name: read(source, 'contactName'), phones: read<string[]>(source, 'contactPhones') };
}

function readPoll(source: Source): IDataObject {
	return {
		question: read(source, 'question'),
		options: read<string[]>(source, 'pollOptions'),
		max_choices: read<number>(source, 'maxChoices'),
	};
}

async function readCaptionedFile(source: Source): Promise<IDataObject> {
	return { ...(await readFile(source)), ...withoutUnset({ caption: read(source, 'caption', '') }) };
}

async function readFile(source: Source): Promise<IDataObject> {
	const from = read(source, 'fileSource');
	const name = withoutUnset({ file_name: read(source, 'fileName', '') });
	if (from === 'url') return { url: read(source, 'fileUrl'), ...name };
	if (from === 'mediaId') return { media_id: read(source, 'mediaId'), ...name };
	const { context, itemIndex, uploadKey } = source;
	const property = read(source, 'binaryPropertyName');
	const file = await uploadBinary(context, itemIndex, property, uploadKey);
	return { media_id: file.id, ...name };
}

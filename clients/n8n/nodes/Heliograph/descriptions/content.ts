import type { INodeProperties } from 'n8n-workflow';

const send = { resource: ['message'], operation: ['send'] };

/** Show a field for these kinds of messages. */
function forTypes(...messageType: string[]): INodeProperties['displayOptions'] {
	return { show: { ...send, messageType } };
}

const FILES = ['audio', 'document', 'image', 'sticker', 'video'];

const FOOTER: INodeProperties = {
	displayName: 'Footer',
	name: 'footer',
	type: 'string',
	default: '',
};

/** The optional members of a kind's content. */
function contentOptions(messageType: string, options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Content Options',
		name: 'contentOptions',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		displayOptions: forTypes(messageType),
		options,
	};
}

const messageType: INodeProperties = {
	displayName: 'Message Type',
	name: 'messageType',
	type: 'options',
	options: [
		{ name: 'Audio', value: 'audio' },
		{ name: 'Buttons', value: 'buttons' },
		{ name: 'Contact Card', value: 'contact' },
		{ name: 'Document', value: 'document' },
		{ name: 'Image', value: 'image' },
		{ name: 'Link Button', value: 'link_button' },
		{ name: 'List', value: 'list' },
		{ name: 'Location', value: 'location' },
		{ name: 'Location Request', value: 'location_request' },
		{ name: 'Poll', value: 'poll' },
		{ name: 'Sticker', value: 'sticker' },
		{ name: 'Text', value: 'text' },
		{ name: 'Video', value: 'video' },
	],
	default: 'text',
	displayOptions: { show: send },
};

const texts: INodeProperties[] = [
	{
		displayName: 'Text',
		name: 'body',
		type: 'string',
		typeOptions: { rows: 3 },
		required: true,
		default: '',
		displayOptions: forTypes('text', 'buttons', 'link_button', 'list', 'location_request'),
	},
	contentOptions('text', [
		{
			displayName: 'Mentions',
			name: 'mentions',
			type: 'string',
			typeOptions: { multipleValues: true },
			default: [],
			description: 'The people mentioned in the text with @ and the digits of their number',
		},
		{
			displayName: 'Preview URL',
			name: 'previewUrl',
			type: 'boolean',
			default: false,
			description: 'Whether to show what the first address in the text leads to',
		},
	]),
];

const choices: INodeProperties[] = [
	{
		displayName: 'Buttons',
		name: 'buttons',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Button',
		required: true,
		default: {},
		description: 'One to three',
		displayOptions: forTypes('buttons'),
		options: [
			{
				displayName: 'Button',
				name: 'button',
				values: [
					{
						displayName: 'ID',
						name: 'id',
						type: 'string',
						default: '',
						description: 'What comes back when it is pressed',
					},
					{
						displayName: 'Title',
						name: 'title',
						type: 'string',
						default: '',
						description: 'At most 20 characters',
					},
				],
			},
		],
	},
	contentOptions('buttons', [
		FOOTER,
		{ displayName: 'Header', name: 'header', type: 'string', default: '' },
	]),
	{
		displayName: 'Link Title',
		name: 'linkTitle',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'Track your order',
		description: 'What the button shows, at most 20 characters',
		displayOptions: forTypes('link_button'),
	},
	{
		displayName: 'Link URL',
		name: 'linkUrl',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'https://shop.example.com/orders/42',
		description: 'The page that the button opens: https',
		displayOptions: forTypes('link_button'),
	},
	contentOptions('link_button', [
		FOOTER,
		{ displayName: 'Header', name: 'header', type: 'string', default: '' },
	]),
	{
		displayName: 'List Button',
		name: 'listButton',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'Choose a time',
		description: 'What opens the list, at most 20 characters',
		displayOptions: forTypes('list'),
	},
	{
		displayName: 'Rows',
		name: 'rows',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Row',
		required: true,
		default: {},
		description: 'At most ten',
		displayOptions: forTypes('list'),
		options: [
			{
				displayName: 'Row',
				name: 'row',
				values: [
					{
						displayName: 'ID',
						name: 'id',
						type: 'string',
						default: '',
						description: 'What comes back when it is chosen',
					},
					{
						displayName: 'Title',
						name: 'title',
						type: 'string',
						default: '',
						description: 'At most 24 characters',
					},
					{ displayName: 'Description', name: 'description', type: 'string', default: '' },
					{
						displayName: 'Section',
						name: 'section',
						type: 'string',
						default: '',
						description: 'The title of the section. Rows with the same one stand together.',
					},
				],
			},
		],
	},
	contentOptions('list', [FOOTER]),
	{
		displayName: 'Question',
		name: 'question',
		type: 'string',
		required: true,
		default: '',
		displayOptions: forTypes('poll'),
	},
	{
		displayName: 'Answers',
		name: 'pollOptions',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Answer' },
		required: true,
		default: [],
		description: 'Two to twelve',
		displayOptions: forTypes('poll'),
	},
	{
		displayName: 'Max Choices',
		name: 'maxChoices',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 12 },
		default: 1,
		description: 'How many answers each person may choose',
		displayOptions: forTypes('poll'),
	},
];

const files: INodeProperties[] = [
	{
		displayName: 'File Source',
		name: 'fileSource',
		type: 'options',
		options: [
			{
				name: 'Binary Data',
				value: 'binary',
				description: 'A file of the item, which is uploaded to the gateway',
			},
			{ name: 'Media ID', value: 'mediaId', description: 'A file that was uploaded before' },
			{ name: 'URL', value: 'url', description: 'The gateway fetches it from a public address' },
		],
		default: 'url',
		displayOptions: forTypes(...FILES),
	},
	{
		displayName: 'URL',
		name: 'fileUrl',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'https://example.com/menu.pdf',
		displayOptions: { show: { ...send, messageType: FILES, fileSource: ['url'] } },
	},
	{
		displayName: 'Media ID',
		name: 'mediaId',
		type: 'string',
		required: true,
		default: '',
		displayOptions: { show: { ...send, messageType: FILES, fileSource: ['mediaId'] } },
	},
	{
		displayName: 'Input Binary Field',
		name: 'binaryPropertyName',
		type: 'string',
		required: true,
		default: 'data',
		hint: 'The name of the input binary field containing the file to be sent',
		displayOptions: { show: { ...send, messageType: FILES, fileSource: ['binary'] } },
	},
	{
		displayName: 'Caption',
		name: 'caption',
		type: 'string',
		default: '',
		displayOptions: forTypes('document', 'image', 'video'),
	},
	{
		displayName: 'File Name',
		name: 'fileName',
		type: 'string',
		default: '',
		description: 'What the file is called there. By default its own name.',
		displayOptions: forTypes(...FILES),
	},
	{
		displayName: 'Voice Message',
		name: 'voice',
		type: 'boolean',
		default: false,
		description: 'Whether to show it as spoken into the phone',
		displayOptions: forTypes('audio'),
	},
];

const others: INodeProperties[] = [
	{
		displayName: 'Latitude',
		name: 'latitude',
		type: 'number',
		typeOptions: { minValue: -90, maxValue: 90, numberPrecision: 7 },
		required: true,
		default: 0,
		displayOptions: forTypes('location'),
	},
	{
		displayName: 'Longitude',
		name: 'longitude',
		type: 'number',
		typeOptions: { minValue: -180, maxValue: 180, numberPrecision: 7 },
		required: true,
		default: 0,
		displayOptions: forTypes('location'),
	},
	contentOptions('location', [
		{ displayName: 'Address', name: 'address', type: 'string', default: '' },
		{ displayName: 'Name', name: 'name', type: 'string', default: '' },
	]),
	{
		displayName: 'Name',
		name: 'contactName',
		type: 'string',
		required: true,
		default: '',
		displayOptions: forTypes('contact'),
	},
	{
		displayName: 'Phone Numbers',
		name: 'contactPhones',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Phone Number' },
		required: true,
		default: [],
		displayOptions: forTypes('contact'),
	},
];

export const contentFields: INodeProperties[] = [
	messageType,
	...texts,
	...choices,
	...files,
	...others,
];

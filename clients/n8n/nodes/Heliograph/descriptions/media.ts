import type { INodeProperties } from 'n8n-workflow';

const forUpload = { show: { resource: ['media'], operation: ['upload'] } };
const forDownload = { show: { resource: ['media'], operation: ['download'] } };

export const mediaFields: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['media'] } },
		options: [
			{
				name: 'Download',
				value: 'download',
				description: 'Download a file as binary data',
				action: 'Download a file',
			},
			{
				name: 'Upload',
				value: 'upload',
				description: 'Upload binary data, to be sent later',
				action: 'Upload a file',
			},
		],
		default: 'download',
	},
	{
		displayName: 'File Of',
		name: 'downloadFrom',
		type: 'options',
		options: [
			{ name: 'Message', value: 'message', description: 'The file that a message has' },
			{ name: 'Upload', value: 'media', description: 'A file that was uploaded' },
		],
		default: 'message',
		displayOptions: forDownload,
	},
	{
		displayName: 'Message ID',
		name: 'messageId',
		type: 'string',
		required: true,
		default: '',
		displayOptions: { show: { ...forDownload.show, downloadFrom: ['message'] } },
	},
	{
		displayName: 'Media ID',
		name: 'mediaId',
		type: 'string',
		required: true,
		default: '',
		displayOptions: { show: { ...forDownload.show, downloadFrom: ['media'] } },
	},
	{
		displayName: 'Put Output File in Field',
		name: 'outputProperty',
		type: 'string',
		required: true,
		default: 'data',
		hint: 'The name of the output binary field to put the file in',
		displayOptions: forDownload,
	},
	{
		displayName: 'Input Binary Field',
		name: 'binaryPropertyName',
		type: 'string',
		required: true,
		default: 'data',
		hint: 'The name of the input binary field containing the file to be uploaded',
		displayOptions: forUpload,
	},
	{
		displayName: 'File Name',
		name: 'fileName',
		type: 'string',
		default: '',
		description: 'What the file is called. By default its own name.',
		displayOptions: forUpload,
	},
];

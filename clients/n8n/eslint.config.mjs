// n8n's own rules, put together as `n8n-node lint` does, with the exceptions that it makes. That
// command's package brings half a gigabyte along, so the rules are named here by themselves.
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import js from '@eslint/js';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import typescript from 'typescript-eslint';

const community = n8nCommunityNodesPlugin.configs.recommended;

export default typescript.config(
	{ ignores: ['dist', 'test', 'eslint.config.mjs'] },
	{
		files: ['**/*.ts'],
		extends: [js.configs.recommended, typescript.configs.recommended, community],
		rules: { 'no-console': 'error' },
	},
	{ plugins: { 'n8n-nodes-base': nodesBase } },
	{
		files: ['package.json'],
		extends: [community],
		rules: {
			...nodesBase.configs.community.rules,
			'n8n-nodes-base/community-package-json-license-not-default': 'off', // the project's is Apache-2.0
		},
		languageOptions: {
			parser: typescript.parser,
			parserOptions: { extraFileExtensions: ['.json'] },
		},
	},
	{
		files: ['package.json'],
		// it wants a mail address: the authors have none, and a made-up one would be somebody else's
		rules: { '@n8n/community-nodes/valid-author': 'off' },
	},
	{
		files: ['./credentials/**/*.ts'],
		rules: {
			...nodesBase.configs.credentials.rules,
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off', // wants no URL, but a slug of n8n's own pages
		},
	},
	{
		files: ['./nodes/**/*.ts'],
		rules: {
			...nodesBase.configs.nodes.rules,
			// they want the word `main`, where the newer rules want NodeConnectionTypes.Main
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
		},
	},
);
